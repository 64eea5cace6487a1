import { expect } from 'vitest';
import { oracleMarkdown } from '../../../bench/reader-oracle.mjs';
import { makeAbsolute } from '../../../src/core/html-document/absolute.js';
import { ReferenceResolver } from '../../../src/core/html/reference-resolver.js';
import { markdownOf } from '../../../src/core/html-document/markdown.js';
import { forEachElement } from '../../../src/core/tree/node.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';
import { oddPage } from '../../support/odd-pages.js';

/** Expects the Markdown of a page to equal that of Turndown for the same tree with our rules. */
export function expectAlike(html: string, what: string): void {
  const tree = parseTree(html);
  makeAbsolute((visit) => forEachElement(tree, visit), new ReferenceResolver('http://docs.test/a/b.html'));
  const { body } = tree;
  const expected = body === null ? '' : oracleMarkdown(body);
  expect(markdownOf(body, Infinity) ?? '', what).toBe(expected);
}

/** The same for 50 random pages. */
export function expectOddPagesAlike(seed: number): void {
  for (let at = seed; at < seed + 50; at++) expectAlike(oddPage(at), `seed ${at}`);
}
