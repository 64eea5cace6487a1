import { expect } from 'vitest';
import { oracleContent } from '../../../bench/reader-oracle.mjs';
import { makeAbsolute } from '../../../src/core/html-document/absolute.js';
import { ReferenceResolver } from '../../../src/core/html/reference-resolver.js';
import { findContent } from '../../../src/core/readability/find-content.js';
import { forEachElement } from '../../../src/core/tree/node.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';
import { oddPage } from '../../support/odd-pages.js';

const BASE = 'http://docs.test/a/b.html';

function treeOf(html: string) {
  const tree = parseTree(html);
  makeAbsolute((visit) => forEachElement(tree, visit), new ReferenceResolver(BASE));
  return tree;
}

export const ours = (html: string) => findContent(treeOf(html), () => treeOf(html))?.innerHTML ?? null;

/** Undefined where Readability throws because it examines an element outside the body. */
export function theirs(html: string): string | null | undefined {
  try {
    return oracleContent(treeOf(html))?.innerHTML ?? null;
  } catch {
    return undefined;
  }
}

/** Expects the main content of 50 random pages to be the one that Readability finds. */
export function expectSameContent(seed: number): void {
  for (let at = seed; at < seed + 50; at++) {
    const html = oddPage(at);
    const [found, expected] = [ours(html), theirs(html)];
    expect(found, `seed ${at}`).toBe(expected === undefined ? found : expected);
  }
}
