import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDocTrees } from '../../../bench/doc-tree/trees.mjs';
import { decode } from '../../../src/core/html/charset.js';
import { expectSameTokens } from './tokenizer-oracle.js';

/** The scanner reports what parse5's tokenizer reports, for whole documents. */

describe('the HTML scanner (HTML §13.2.5, tokenization)', () => {
  it('decodes documentation pages correctly and tokenizes them as parse5 does', () => {
    // Pages of one tree begin with the same long menu: some of them suffice.
    const pages = [...makeDocTrees().values()].filter(({ path }, n) => !path.startsWith('/classes/') || n % 24 === 0);
    expect(pages.length).toBeGreaterThan(1_000);
    for (const { path, html, bytes, type } of pages) {
      const { text } = decode(bytes, type);
      expect(path + text).toBe(path + html);
      expectSameTokens(path, text);
    }
  });

  it('tokenizes HTML files of installed packages as parse5 does', () => {
    const pages = ['@mixmark-io/domino', 'playwright-core', 'pino', 'swagger-ui-dist', 'tinyld', 'tslib'].flatMap(
      (name) =>
        readdirSync(join('node_modules', name), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.html'))
          .map((file) => join('node_modules', name, file)),
    );
    expect(pages.length).toBeGreaterThan(50);
    for (const page of pages.sort()) expectSameTokens(page, decode(readFileSync(page), 'text/html').text);
  });
});
