import { describe, it } from 'vitest';
import { makeDocTrees } from '../../../bench/doc-tree/trees.mjs';
import { expectAlike, expectOddPagesAlike } from './turndown-oracle.js';

/** Markdown of an element is what Turndown makes of the same tree with our rules. */

const made = [...makeDocTrees().values()].filter((_, at) => at % 15 === 7);

describe('Markdown', () => {
  it.each(made)('of $path, a page of documentation', ({ bytes, path }) => expectAlike(bytes.toString(), path));

  it.each([0, 50, 100, 150])('of pages by chance from seed %i', expectOddPagesAlike);
});
