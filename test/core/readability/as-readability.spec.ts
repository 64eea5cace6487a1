import { describe, expect, it } from 'vitest';
import { makeDocTrees } from '../../../bench/doc-tree/trees.mjs';
import { expectSameContent, ours, theirs } from './readability-oracle.js';

/** The main content of a page is the one that Readability finds in the same tree, element by element. */

const made = [...makeDocTrees().values()].filter((_, at) => at % 15 === 7);

describe('the main content', () => {
  it.each(made)('is that of Readability for $path, a page of documentation', ({ bytes }) => {
    const html = bytes.toString();
    expect(ours(html)).toBe(theirs(html));
  });

  it.each([0, 50, 100, 150])('is that of Readability for random pages from seed %i', expectSameContent);
});
