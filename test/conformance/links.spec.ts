import { describe, expect } from 'vitest';
import { decode } from '../../src/core/html/charset.js';
import { parseHtml } from '../../src/core/html/parse-html.js';
import { suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';

interface Html {
  text?: string;
  base64?: string;
}

function textOf(html: Html, charset: string | null): string {
  if (html.text !== undefined) return html.text;
  const header = charset === null ? null : `text/html; charset=${charset}`;
  return decode(Buffer.from(html.base64 ?? '', 'base64'), header).text;
}

/** Ours have the form of the URL standard, where a host alone has the path `/`. */
const standard = (url: string) => URL.parse(url)?.href ?? url;

interface LinkCase {
  id: string;
  base: string;
  declaredEncoding: string | null;
  html: Html;
  outlinks: { url: string; anchor: string; nofollow: boolean }[];
}

/** Scrapy's cases whose extractor was configured to leave some links out; our filters do that, not the parser. */
const partial: Readonly<Record<string, string>> = {
  'TestLxmlLinkExtractor.test_ignored_extensions#3': 'its extractor denies .jpg',
  'TestLxmlLinkExtractor.test_ignored_extensions#5': 'its extractor denies .html',
};

describe('Scrapy: links of a page', () => {
  eachCase(suiteOf<LinkCase>('links', 'scrapy-links'))('$id has the expected links', (one) => {
    const { links } = parseHtml(textOf(one.html, one.declaredEncoding), one.base);
    const expected = one.outlinks
      .filter(({ nofollow }) => !nofollow)
      .map(({ url, anchor }) => ({ url: standard(url), anchor }));
    if (one.id in partial) expect(links).toEqual(expect.arrayContaining(expected));
    else expect(links).toEqual(expected);
  });
});

interface BaseCase {
  id: string;
  documentUrl: string;
  html: Html;
  base: string;
}

describe('w3lib: base URL of a page', () => {
  eachCase(suiteOf<BaseCase>('links', 'w3lib-base'))('$id has the base $base', ({ documentUrl, html, base }) => {
    expect(parseHtml(textOf(html, null), documentUrl).base).toBe(base);
  });
});

interface RefreshCase {
  id: string;
  base: string;
  encoding: string | null;
  html: Html;
  refresh: { seconds: number; url: string } | null;
}

describe('w3lib: meta refresh', () => {
  eachCase(suiteOf<RefreshCase>('links', 'w3lib-meta-refresh'))(
    '$id has the refresh $refresh',
    ({ base, encoding, html, refresh }) => {
      expect(parseHtml(textOf(html, encoding), base).refresh).toEqual(refresh);
    },
  );
});
