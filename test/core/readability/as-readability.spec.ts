import { describe, expect, it } from 'vitest';
import { makeDocTrees } from '../../../bench/doc-tree/trees.mjs';
import { oracleContent } from '../../../bench/reader-oracle.mjs';
import { makeAbsolute } from '../../../src/core/document/absolute.js';
import { findContent } from '../../../src/core/readability/find-content.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';
import { oddPage } from '../../support/odd-pages.js';

/** The main content of a page is the one that Readability finds in the same tree, element by element. */

const BASE = 'http://docs.test/a/b.html';

function treeOf(html: string) {
  const tree = parseTree(html);
  makeAbsolute(tree, BASE);
  return tree;
}

const ours = (html: string) => findContent(treeOf(html), () => treeOf(html))?.innerHTML ?? null;

/** Undefined where Readability fails: what it looks at stands outside of the body. */
function theirs(html: string): string | null | undefined {
  try {
    return oracleContent(treeOf(html))?.innerHTML ?? null;
  } catch {
    return undefined;
  }
}

const made = [...makeDocTrees().values()].filter((_, at) => at % 15 === 7);

describe('the main content', () => {
  it.each(made)('of $path, a page of documentation', ({ bytes }) => {
    const html = bytes.toString();
    expect(ours(html)).toBe(theirs(html));
  });

  it.each(Array.from({ length: 40 }, (_, at) => at * 50))('of pages by chance from seed %i', (seed) => {
    for (let at = seed; at < seed + 50; at++) {
      const html = oddPage(at);
      const [found, expected] = [ours(html), theirs(html)];
      expect(found, `seed ${at}`).toBe(expected === undefined ? found : expected);
    }
  });
});
