import { describe, expect, it } from 'vitest';
import { makeDocTrees } from '../../../bench/doc-tree/trees.mjs';
import { oracleMarkdown } from '../../../bench/reader-oracle.mjs';
import { makeAbsolute } from '../../../src/core/document/absolute.js';
import { markdownOf } from '../../../src/core/document/markdown.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';
import { oddPage } from '../../support/odd-pages.js';

/** Markdown of an element is what Turndown makes of the same tree with our rules. */

function expectAlike(html: string, what: string): void {
  const tree = parseTree(html);
  makeAbsolute(tree, 'http://docs.test/a/b.html');
  const { body } = tree;
  const expected = body === null ? '' : oracleMarkdown(body);
  expect(markdownOf(body, Infinity) ?? '', what).toBe(expected);
}

const made = [...makeDocTrees().values()].filter((_, at) => at % 15 === 7);

describe('Markdown', () => {
  it.each(made)('of $path, a page of documentation', ({ bytes, path }) => expectAlike(bytes.toString(), path));

  it.each(Array.from({ length: 40 }, (_, at) => at * 50))('of pages by chance from seed %i', (seed) => {
    for (let at = seed; at < seed + 50; at++) expectAlike(oddPage(at), `seed ${at}`);
  });
});
