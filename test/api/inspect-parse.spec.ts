import { createHash } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lines, makePdf } from '../support/pdf.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
  const create = (configId: string, params: object) =>
    request(api.url).post('/config/create').send({ configId, force: true, params });
  await create('inside', { 'db.ignore.external.links': 'true' });
  await create('two', { 'db.max.outlinks.per.page': '2', 'db.max.outlink.length': '40' });
});
afterAll(() => api?.close());

const ask = (path: string, body: unknown) =>
  request(api.url)
    .post(`/v1/inspect/${path}`)
    .send(body as object);
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const url = 'http://site.test/docs/';

async function parse(html: string | Buffer, more: object = {}) {
  const { status, body } = await ask('parse', { url, contentBase64: base64(html), contentType: 'text/html', ...more });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body as Record<string, unknown> & { outlinks: { url: string; kept: boolean; droppedBy?: string }[] };
}

describe('POST /v1/inspect/parse', () => {
  it('returns what PARSE stores of a page', async () => {
    const html = `<html lang=en><title>Hello</title><meta name=description content="Words">
      <link rel=canonical href="/c"><base href="/b/"><p>Text <a href="x">one</a>`;
    expect(await parse(html)).toMatchObject({
      status: { major: 1, minor: 0, name: 'success/ok', args: [] },
      type: 'text/html',
      title: 'Hello',
      text: expect.stringContaining('Text one'),
      outlinks: [
        { url: 'http://site.test/c', anchor: '', kept: true },
        { url: 'http://site.test/b/x', anchor: 'one', kept: true },
      ],
      base: 'http://site.test/b/',
      robots: { noindex: false, nofollow: false, nocache: false },
      refresh: null,
      charset: expect.any(String),
      signature: createHash('md5').update(html).digest('hex'),
      metadata: { language: 'en', 'metatag.description': 'Words' },
    });
  });

  it('masks the user info of links, and shows what is stored without it', async () => {
    const at = (rest: string) => `http://me:hunter2@${rest}`;
    const html = `<base href="${at('site.test/b/')}"><link rel=canonical href="${at('site.test/docs/')}"><a href=x>one</a>
      <a href="${at('site.test/a#b')}">two</a><a href="${at('site.test/y.gif')}">three</a>`;
    const found = await parse(html);
    expect(found).toMatchObject({
      base: 'http://********@site.test/b/',
      canonical: 'http://site.test/docs/',
      outlinks: expect.arrayContaining([
        { url: 'http://********@site.test/b/x', anchor: 'one', tag: 'a', kept: true, keptAs: 'http://site.test/b/x' },
        { url: 'http://********@site.test/a#b', anchor: 'two', tag: 'a', kept: true, keptAs: 'http://site.test/a' },
        expect.objectContaining({ url: 'http://********@site.test/y.gif', kept: false, droppedBy: 'urlfilter-regex' }),
      ]) as unknown,
    });
    const refreshed = await parse(`<meta http-equiv=refresh content="0; url=${at('site.test/new')}">`);
    expect(refreshed).toMatchObject({ refresh: { url: 'http://site.test/new' } });
    // The metatag is a text of the page, which stays as it was sent.
    expect(JSON.stringify([found, { ...refreshed, data: null }])).not.toContain('hunter2');
  });

  it('returns extracted values, main content as Markdown and language', async () => {
    const params = {
      'parse.extract.rules': 'heading\t/docs/\tcss\th1',
      'parse.markdown': 'true',
      'plugin.includes.also': 'language-identifier',
    };
    await request(api.url).post('/config/create').send({ configId: 'more', force: true, params });
    const words = 'A reader comes for this sentence, which is long enough, and has commas, to count. '.repeat(9);
    const { metadata } = await parse(`<article><h1>One <b>two</b></h1><p>${words}</article>`, { confId: 'more' });
    expect(metadata).toEqual({ heading: 'One two', lang: 'en', markdown: `## One **two**\n\n${words.trim()}` });
  });

  it('parses a PDF that is sent in base 64', async () => {
    const { status, body } = await ask('parse', {
      url,
      contentBase64: makePdf([lines('In a PDF')]).toString('base64'),
    });
    expect([status, body.type, body.text]).toEqual([200, 'application/pdf', 'In a PDF']);
  });

  it('names the parser used and those tried before it', async () => {
    const rules = { 'parser.plugins': 'text/html parse-json parse-html', 'plugin.includes': 'parse-(html|json)' };
    await request(api.url).post('/config/create').send({ configId: 'tried', force: true, params: rules });
    expect(await parse('<p>x', { confId: 'tried' })).toMatchObject({
      parser: 'parse-html',
      tried: [{ parser: 'parse-json', reason: expect.stringContaining('no JSON') }],
    });
    expect(await parse('<rss><channel><title>t</title></channel></rss>')).toMatchObject({
      type: 'application/rss+xml',
      parser: 'feed',
      tried: [],
      data: null,
    });
  });

  it('chooses parsers by the stored rule file of parse.plugin.file', async () => {
    const file = '<parse-plugins><mimeType name="text/css"><plugin id="parse-text"/></mimeType></parse-plugins>';
    const stored = await request(api.url).put('/v1/rule-files/mine.xml').set('Content-Type', 'text/plain').send(file);
    expect(stored.status).toBe(200);
    const params = { 'parse.plugin.file': 'mine.xml' };
    await request(api.url).post('/config/create').send({ configId: 'file', force: true, params });
    expect(await parse('a {}', { contentType: 'text/css', confId: 'file' })).toMatchObject({ parser: 'parse-text' });
    const bad = { configId: 'bad', params: { 'parser.plugins': 'text/css' } };
    const { status, body } = await request(api.url).post('/config/create').send(bad);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('parser.plugins: rule 1, position 8')]);
  });

  it('returns metatags, JSON-LD, alternates and images, stored or not', async () => {
    const html = `<meta property="og:title" content="OG"><script type="application/ld+json">{"a":1}</script>
      <link rel=alternate hreflang=de href="/de"><img src="/i.png" alt="image">`;
    const page = await parse(html);
    expect(page).toMatchObject({
      data: {
        metatags: { 'og:title': ['OG'] },
        headings: {},
        jsonLd: ['{"a":1}'],
        alternates: [{ hreflang: 'de', url: 'http://site.test/de' }],
        images: [{ url: 'http://site.test/i.png', alt: 'image' }],
      },
      metadata: {},
      outlinks: [{ tag: 'link' }, { tag: 'img' }],
    });
  });

  it('obeys X-Robots-Tag without a product token and ignores that for other crawlers', async () => {
    const html = '<title>t</title>text <a href="/a">a</a>';
    expect(await parse(html, { robotsTag: 'otherbot: none' })).toMatchObject({
      title: 't',
      robots: { noindex: false },
    });
    expect(await parse(html, { robotsTag: 'otherbot: none\nnoindex, nofollow' })).toMatchObject({
      title: '',
      text: '',
      robots: { noindex: true, nofollow: true, nocache: false },
      outlinks: [{ url: 'http://site.test/a', kept: false, droppedBy: 'nofollow' }],
      metadata: { robots: 'noindex,nofollow' },
    });
  });

  it('lists links in order, with duplicates, each with the rule that dropped it', async () => {
    const html = `<a href="/a#top">1</a> <a href="/a">2</a> <a href="/s?q">3</a> <a rel="nofollow" href="/n">4</a>
      <a href="ftp://site.test/f">5</a> <a href=".">6</a> <a href="http://other.test/">7</a> <a href="/${'x'.repeat(3_000)}">8</a>`;
    const { outlinks } = await parse(html, { confId: 'inside' });
    expect(outlinks.map(({ kept, droppedBy }) => (kept ? 'kept' : droppedBy))).toEqual([
      'kept',
      'duplicate',
      'urlfilter-regex',
      'nofollow',
      'scheme',
      'self',
      'external',
      'length',
    ]);
    expect(outlinks[0]).toEqual({
      url: 'http://site.test/a#top',
      anchor: '1',
      tag: 'a',
      kept: true,
      keptAs: 'http://site.test/a',
    });
    expect(outlinks[2]).toMatchObject({ rule: { number: 3, text: '-[?*!@=]' } });
  });

  it('applies db.max.outlinks.per.page and db.max.outlink.length', async () => {
    const html = `<a href="/a">1</a><a href="/${'x'.repeat(50)}">2</a><a href="/b">3</a><a href="/c">4</a>`;
    const { outlinks } = await parse(html, { confId: 'two' });
    expect(outlinks.map(({ kept, droppedBy }) => (kept ? 'kept' : droppedBy))).toEqual([
      'kept',
      'length',
      'kept',
      'limit',
    ]);
  });

  it('drops all links of a page with meta robots nofollow', async () => {
    expect(
      await parse('<meta name=robots content="nofollow, noindex, noarchive"><title>t</title><a href=/a>a</a>'),
    ).toMatchObject({
      title: '',
      robots: { noindex: true, nofollow: true, nocache: true },
      outlinks: [{ url: 'http://site.test/a', kept: false, droppedBy: 'nofollow' }],
    });
  });

  it('follows only the meta refresh of a page that has one', async () => {
    expect(await parse('<meta http-equiv=refresh content="3; url=/new"><a href=/a>a</a>')).toMatchObject({
      status: { minor: 100, args: ['http://site.test/new', '3'] },
      refresh: { seconds: 3, url: 'http://site.test/new', kept: true },
      outlinks: [{ url: 'http://site.test/a', kept: false, droppedBy: 'refresh' }],
    });
    expect(
      await parse('<meta http-equiv=refresh content="0; url=http://other.test/">', { confId: 'inside' }),
    ).toMatchObject({
      refresh: { kept: false },
    });
  });

  it('detects charset and type, and reports a type without parser', async () => {
    expect(
      await parse(Buffer.from('<meta charset=windows-1252><title>caf\xe9', 'latin1'), { contentType: null }),
    ).toMatchObject({
      type: 'text/html',
      title: 'café',
      charset: 'windows-1252',
    });
    expect(await parse(Buffer.from('PK\x03\x04'), { contentType: 'application/zip' })).toMatchObject({
      status: { major: 2, name: 'failed/exception', args: ['no parser for application/zip'] },
      signature: null,
      outlinks: [],
    });
  });

  it('leaves out links when a long base makes them exceed the answer limit', async () => {
    const links = Array.from({ length: 20_000 }, (_, n) => `<a href=${n}>`).join('');
    const found = await parse(`<base href="/${'b'.repeat(15_000)}/">${links}`);
    expect(found.outlinks.length).toBeLessThan(300);
    expect(found['outlinksLeftOut']).toBeGreaterThan(500);
  });

  it.each([
    [{}, 'FIELDS_INVALID', 'url is required'],
    [{ url }, 'FIELDS_INVALID', 'contentBase64 is required'],
    [{ url: 'ftp://a/', contentBase64: '' }, 'FIELDS_INVALID', 'url must be an http or https URL'],
    [{ url: 'docs', contentBase64: '' }, 'FIELDS_INVALID', 'url must be an http or https URL'],
    [{ url, contentBase64: 'ab_-' }, 'FIELDS_INVALID', 'character 3 is "_"'],
    [{ url, contentBase64: 'YWI' }, 'FIELDS_INVALID', 'padding'],
    [{ url, contentBase64: 'YWJ=' }, 'FIELDS_INVALID', 'last bits'],
    [{ url, contentBase64: 'YW\nI=' }, 'FIELDS_INVALID', 'character 3'],
    [{ url, contentBase64: '', confId: 'none' }, 'CONFIG_ID_UNKNOWN', 'none'],
    [{ url, contentBase64: '', contentType: 7 }, 'FIELDS_INVALID', 'contentType must be'],
  ])('refuses %.60j with %s, %s', async (body, code, words) => {
    const answer = await ask('parse', body);
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([400, code, expect.stringContaining(words)]);
  });
});

describe('POST /v1/inspect/robots', () => {
  const robotsTxt =
    'User-agent: *\nDisallow: /\n\nUser-agent: Orbweaver\nCrawl-delay: 2.5\nDisallow: /p\nAllow: /p/open\nSitemap: http://site.test/s.xml\n';

  it.each([
    ['http://site.test/p/a', 'orbweaver', false, { number: 6, text: 'Disallow: /p' }, 2.5],
    ['/p/open', 'orbweaver/1.0', true, { number: 7, text: 'Allow: /p/open' }, 2.5],
    ['http://site.test/x', 'orbweaver', true, null, 2.5],
    ['http://site.test/x', 'other', false, { number: 2, text: 'Disallow: /' }, null],
    ['http://site.test/x', 'other, orbweaver', true, null, 2.5],
  ])('%s for agent %s: allowed is %s', async (asked, agent, allowed, line, crawlDelay) => {
    for (const file of [{ robotsTxt }, { robotsBase64: base64(robotsTxt) }]) {
      const { status, body } = await ask('robots', { url: asked, agent, ...file });
      expect([status, body]).toEqual([
        200,
        { allowed, agents: expect.any(Array), crawlDelay, line, sitemaps: ['http://site.test/s.xml'] },
      ]);
    }
  });

  it('an empty file allows every URL', async () => {
    expect((await ask('robots', { url: '/', agent: 'a', robotsTxt: '' })).body).toMatchObject({ allowed: true });
  });

  it.each([
    [{ url: '/', agent: 'a' }, 'none is'],
    [{ url: '/', agent: 'a', robotsTxt: '', robotsBase64: '' }, 'both are'],
    [{ url: '/', agent: 'a', robotsBase64: '?' }, 'robotsBase64 must be base64'],
    [{ url: '/', robotsTxt: '' }, 'agent is required'],
    [{ agent: 'a', robotsTxt: '' }, 'url is required'],
    [{ url: '/', agent: 'a', robotsTxt: {} }, 'robotsTxt must be'],
  ])('refuses %j with %s', async (body, words) => {
    const answer = await ask('robots', body);
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(words)]);
  });
});
