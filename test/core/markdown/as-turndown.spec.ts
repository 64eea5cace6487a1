import { describe, it } from 'vitest';
import { makeDocTrees } from '../../../bench/doc-tree/trees.mjs';
import { expectAlike, expectOddPagesAlike } from './turndown-oracle.js';

/** Markdown of an element equals that of Turndown for the same tree with our rules. */

const made = [...makeDocTrees().values()].filter((_, at) => at % 15 === 7);

describe('Markdown', () => {
  it.each(made)('equals that of Turndown for $path, a page of documentation', ({ bytes, path }) =>
    expectAlike(bytes.toString(), path),
  );

  it.each([0, 50, 100, 150])('equals that of Turndown for random pages from seed %i', expectOddPagesAlike);
});
