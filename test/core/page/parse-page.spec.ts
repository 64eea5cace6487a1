import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePage } from '../../../src/core/page/parse-page.js';
import type { FetchedPage, ParsedPage, ParseProps } from '../../../src/core/page/parser.js';
import { defaults } from '../../../src/core/conf/properties.js';
import { makeParseChain } from '../../../src/plugin/parse-chain.js';
import { unicodeText } from '../../support/unicode-text.js';

const shipped: ParseProps = {
  'db.max.anchor.length': 100,
  'encodingdetector.charset.min.confidence': -1,
  'mime.type.magic': true,
  'parser.caching.forbidden.policy': 'content',
  'parser.character.encoding.default': 'windows-1252',
  'parser.html.form.use_action': false,
  'parser.html.outlinks.ignore_tags': [],
  'parser.skip.truncated': true,
  'parser.text.limit': 1_048_576,
  'parser.title.limit': 1000,
};
const url = 'http://site.example/page';
const bytes = (text: string) => new TextEncoder().encode(text);
const chain = makeParseChain({ ...defaults, 'plugin.excludes': 'parse-pdf' });
/** The shipped parsers are synchronous. */
const atOnce = (parsed: ParsedPage | Promise<ParsedPage>): ParsedPage => {
  if (parsed instanceof Promise) throw new Error('a parser took its time');
  return parsed;
};
const parse = (content: string, page: Partial<FetchedPage> = {}, props: Partial<ParseProps> = {}) =>
  atOnce(
    parsePage(
      bytes(content),
      { url, contentType: 'text/html; charset=utf-8', ...page },
      { ...shipped, ...props },
      chain,
    ),
  );
const md5 = (text: string) => createHash('md5').update(text).digest('hex');

describe('a page with headings', () => {
  const withHeadings = makeParseChain({ ...defaults, 'plugin.includes.also': 'headings' });
  const headings = (page: Partial<FetchedPage>, html = '') =>
    atOnce(
      parsePage(
        bytes(`${html}<h1>a</h1>`),
        { url, contentType: 'text/html', ...page },
        { ...shipped, plugins: new Set(['headings']), headings: ['h1'] },
        withHeadings,
      ),
    ).metadata;

  it('has them as metadata, unless it has noindex', () => {
    expect(headings({})).toEqual({ h1: 'a' });
    expect(headings({ robotsTag: 'noindex' })).toEqual({ robots: 'noindex' });
    expect(headings({}, '<meta name=robots content=noindex>')).toEqual({ robots: 'noindex' });
  });
});

describe('a parsed page', () => {
  it('has all the fields that the crawl stores', () => {
    const html =
      '<html lang=en><title>T</title><meta name=keywords content="a, b"><meta name=author content=x>' +
      '<meta http-equiv=pragma content=no-cache><link rel=canonical href="/c">text <a href="/x">X</a> é';
    expect(parse(html)).toMatchObject({
      parser: 'parse-html',
      tried: [],
      status: { major: 1, minor: 0, args: [] },
      type: 'text/html',
      title: 'T',
      text: 'T\ntext X é',
      outlinks: [
        { url: 'http://site.example/c', anchor: '' },
        { url: 'http://site.example/x', anchor: 'X' },
      ],
      base: url,
      robots: { noindex: false, nofollow: false },
      refresh: null,
      canonical: 'http://site.example/c',
      charset: 'utf-8',
      signature: md5(html),
      metadata: { language: 'en', 'caching.forbidden': 'content', 'metatag.keywords': 'a, b' },
    });
  });

  it('keeps the meta elements in metatags.names', () => {
    const html = '<meta name=Author content=x><meta name=generator content=y>';
    expect(parse(html, {}, { 'metatags.names': ['author'] }).metadata).toEqual({ 'metatag.author': 'x' });
    const all = { 'metatag.author': 'x', 'metatag.generator': 'y' };
    expect(parse(html, {}, { 'metatags.names': ['*'] }).metadata).toEqual(all);
  });

  it('respects the limits and options in its properties', () => {
    const html = '<title>long title</title><form action=/f>f</form><img src=/i.png><a href=/a>anchor</a>';
    const page = parse(
      html,
      {},
      {
        'db.max.anchor.length': 3,
        'parser.html.form.use_action': true,
        'parser.html.outlinks.ignore_tags': [' IMG '],
        'parser.title.limit': 4,
        'parser.text.limit': 6,
      },
    );
    expect(page).toMatchObject({ title: 'long', text: 'long t' });
    expect(page.outlinks.map(({ anchor }) => anchor)).toEqual(['f', 'anc']);
  });

  it('is a redirect when it refreshes to another page', () => {
    expect(parse('<meta http-equiv=refresh content="3;url=/other">')).toMatchObject({
      status: { major: 1, minor: 100, args: ['http://site.example/other', '3'] },
      refresh: { url: 'http://site.example/other', seconds: 3 },
    });
  });

  it.each(['/page', '/page#top', 'http://site.example/page', ''])(
    'is not a redirect when it refreshes to itself by "%s"',
    (target) => {
      expect(parse(`<meta http-equiv=refresh content="300;url=${target}">`)).toMatchObject({
        status: { major: 1, minor: 0 },
        refresh: null,
      });
    },
  );

  it('has the text and links of plain text', () => {
    const page = parse('see  http://a.example/x.\n\nbye', { contentType: 'text/plain' });
    expect(page).toMatchObject({
      status: { major: 1, minor: 0 },
      title: '',
      text: 'see http://a.example/x.\nbye',
      outlinks: [{ url: 'http://a.example/x', anchor: '' }],
      charset: 'windows-1252',
    });
  });

  it.each([
    [2, ['http://a.example/', 'http://b.example/']],
    [3, ['http://a.example/', 'http://b.example/', 'http://c.example/']],
  ])('has at most db.max.outlinks.per.page.cap links (%i), of HTML and of plain text', (cap, urls) => {
    const links = ['a', 'b', 'c'].map((name) => `http://${name}.example/`);
    const conf = { 'db.max.outlinks.per.page.cap': cap };
    const html = parse(links.map((link) => `<a href=${link}>x</a>`).join(''), {}, conf);
    const text = parse(links.join(' '), { contentType: 'text/plain' }, conf);
    expect([html, text].map(({ outlinks }) => outlinks.map((link) => link.url))).toEqual([urls, urls]);
  });

  it('has the MD5 of its URL as signature when it is empty', () => {
    expect(parse('')).toMatchObject({ status: { major: 1, minor: 0 }, text: '', signature: md5(url) });
  });
});

describe('a page with an unsupported type or truncated content', () => {
  it.each([
    ['image/png', '\ufffdPNG', 'no parser for image/png'],
    ['application/pdf', '%PDF-1.4', 'no parser for application/pdf'],
    ['text/html', '%PDF-1.4', 'no parser for application/pdf'],
    ['text/css', 'a {}', 'no parser for text/css'],
    ['application/json', '{}', 'no parser for application/json'],
  ])('is not parsed as %s with content %j: %s', (contentType, content, reason) => {
    const page = parse(content, { contentType });
    expect(page).toMatchObject({
      status: { major: 2, minor: 200, args: [reason] },
      text: '',
      outlinks: [],
      charset: null,
    });
    expect(page).not.toHaveProperty('signature');
  });

  it.each<[string, Partial<FetchedPage>, number, boolean]>([
    ['fails when Content-Length is larger than its content', { contentLengthHeader: 1000 }, 2, true],
    ['fails when the fetcher truncated it', { truncated: true }, 2, true],
    [
      'is parsed although truncated without parser.skip.truncated',
      { truncated: true, contentLengthHeader: 1000 },
      1,
      false,
    ],
    ['is parsed when Content-Length equals its length', { contentLengthHeader: 4 }, 1, true],
    ['is parsed without Content-Length', { contentLengthHeader: null }, 1, true],
  ])('%s', (_, page, major, skip) => {
    const { status } = parse('text', page, { 'parser.skip.truncated': skip });
    expect(status.major).toBe(major);
    if (major === 2) expect(status).toMatchObject({ minor: 202, args: ['only the first 4 bytes were kept'] });
  });

  it('has the type of the header without mime.type.magic', () => {
    expect(parse('%PDF-1.4', {}, { 'mime.type.magic': false }).type).toBe('text/html');
  });
});

describe('any bytes parsed as a page', () => {
  it('give a status and well-formed text without NUL, never an error', () => {
    const header = fc.option(
      fc.oneof(
        unicodeText(),
        fc.constantFrom('text/html', 'text/plain', 'text/html; charset=utf-16be', 'application/xhtml+xml'),
      ),
    );
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 500 }),
      unicodeText({ maxLength: 200 }).map((text) => bytes(`<a href="${text}">${text}<title>${text}`)),
    );
    fc.assert(
      fc.property(content, header, fc.oneof(fc.webUrl(), fc.string()), (data, contentType, pageUrl) => {
        const page = atOnce(parsePage(data, { url: pageUrl, contentType }, shipped, chain));
        expect([1, 2]).toContain(page.status.major);
        for (const text of [page.title, page.text, ...page.outlinks.map(({ anchor }) => anchor)]) {
          expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
