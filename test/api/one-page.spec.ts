import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { rawRequest } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';
import { api, oddTitle, pagePath, pages, useStoredPages } from './stored-pages.js';

useStoredPages();

describe('GET /v1/pages/{url}', () => {
  it('returns the row, visits newest first, inlinks by score, headers and sizes of the content', async () => {
    const { status, body } = await request(api.url).get(pagePath('http://www.site.test/'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      url: 'http://www.site.test/',
      status: 'db_fetched',
      title: oddTitle,
      marks: { inject: 'y', update: 'b1' },
      headers: { server: 'x' },
      outlinks: [
        { url: 'http://www.site.test/docs/', anchor: 'Docs' },
        { url: 'http://other.test/', anchor: '' },
      ],
      outlinkCount: 2,
      content: { length: 5, textLength: 14, charset: 'windows-1252', truncated: null },
    });
    expect(body.history).toHaveLength(100);
    expect(body.history[0]).toMatchObject({
      status: 'db_fetched',
      protocol: 'SUCCESS',
      httpStatus: 200,
      ms: 1,
      job: 'k1-default-FETCH-1',
    });
    expect(body.inlinks).toHaveLength(100);
    expect(body.inlinks[0]).toEqual({ url: 'http://other.test/150', anchor: 'anchor 150', score: 150 });
  });

  it('returns all fields, empty, for a page that was never fetched', async () => {
    const { body } = await request(api.url).get(pagePath('http://nutch.apache.org/'));
    expect(body).toMatchObject({
      status: 'db_unfetched',
      history: [],
      inlinks: [],
      outlinks: [],
      outlinkCount: 0,
      headers: {},
      content: null,
      protocolStatus: null,
      parseStatus: null,
    });
  });

  it.each(pages.map(({ url }) => url))('%s is found by its URL, also with a trailing slash', async (url) => {
    expect((await request(api.url).get(pagePath(url))).body.url).toBe(url);
    expect((await request(api.url).get(pagePath(url).replace('?', '/?'))).body.url).toBe(url);
  });

  it.each(['http://WWW.site.test', 'http://www.site.test:80/#top', 'HTTP://www.site.test/x/..'])(
    '%s is normalized before the lookup',
    async (url) => {
      expect((await request(api.url).get(pagePath(url))).body.url).toBe('http://www.site.test/');
    },
  );

  it('a page whose URL is normalized differently now is found by the URL that it has', async () => {
    const url = 'http://a.test/b;jsessionid=1';
    await addPages(api.database, await newCrawl(api.database, 'older'), [{ url }]);
    const { body } = await request(api.url).get(`/v1/pages/${encodeURIComponent(url)}?crawlId=older`);
    expect(body).toMatchObject({ url, status: 'db_unfetched' });
  });

  it('of two pages whose URLs are normalized to one, each is found by its own URL', async () => {
    const urls = ['http://a.test//b', 'http://a.test/b'];
    await addPages(
      api.database,
      await newCrawl(api.database, 'unnormalized'),
      urls.map((url) => ({ url, status: 2, row: { parse_major: 1 }, content: { text: `text of ${url}` } })),
    );
    for (const url of urls) {
      const path = `/v1/pages/${encodeURIComponent(url)}`;
      expect((await request(api.url).get(`${path}?crawlId=unnormalized`)).body.url).toBe(url);
      const text = await rawRequest(api.port, `GET ${path}/text?crawlId=unnormalized`);
      expect(text.body).toBe(`text of ${url}`);
    }
    const { body } = await request(api.url).get('/v1/pages/http%3A%2F%2FA.test%2Fb%23top?crawlId=unnormalized');
    expect(body.url).toBe('http://a.test/b');
  });

  it.each<[string, number, string]>([
    ['/v1/pages/http%3A%2F%2Fnone.test%2F?crawlId=k1', 404, 'PAGE_UNKNOWN'],
    ['/v1/pages/http%3A%2F%2Fwww.site.test%2F?crawlId=k9', 404, 'PAGE_UNKNOWN'],
    ['/v1/pages/http%3A%2F%2Fwww.site.test%2F?crawlId=k1&confId=c9', 400, 'CONFIG_ID_UNKNOWN'],
    ['/v1/pages/http%3A%2F%2Fwww.site.test%2F?crawlId=k1&confId=../c', 400, 'FIELDS_INVALID'],
    ['/v1/pages/site.test?crawlId=k1', 400, 'QUERY_INVALID'],
    [`/v1/pages/http%3A%2F%2Fa.test%2F${'x'.repeat(5_000)}?crawlId=k1`, 400, 'FIELDS_INVALID'],
    ['/v1/pages/%zz?crawlId=k1', 400, 'REQUEST_MALFORMED'],
    ['/v1/pages/%FF?crawlId=k1', 400, 'REQUEST_MALFORMED'],
    ['/v1/pages/http%3A%2F%2Fwww.site.test%2?crawlId=k1', 400, 'REQUEST_MALFORMED'],
    ['/v1/pages/%ED%A0%80?crawlId=k1', 400, 'REQUEST_MALFORMED'],
    ['/v1/pages/http://www.site.test/?crawlId=k1', 404, 'ROUTE_UNKNOWN'],
  ])('%s returns %i %s', async (path, status, code) => {
    const answer = await rawRequest(api.port, `GET ${path}`);
    expect([answer.status, (JSON.parse(answer.body) as { code: string }).code]).toEqual([status, code]);
  });

  it.each([
    ['/webpage/http%3A%2F%2Fme%3Asecret%40host%2F', '"/webpage/http%3A%2F%2F********%40host%2F"'],
    ['/webpage/http://me:secret@host/', '"/webpage/http://********@host/"'],
    ['/v1/pages/http://me:secret@host/?crawlId=k1', '"/v1/pages/http://********@host/"'],
  ])('%s, which is no route, is repeated without the password', async (path, shown) => {
    const { status, body } = await rawRequest(api.port, `GET ${path}`);
    expect([status, (JSON.parse(body) as { detail: string }).detail]).toEqual([
      404,
      `There is nothing at GET ${shown}; /docs lists all routes.`,
    ]);
  });
});

describe('GET /v1/pages/{url}/content and /text', () => {
  it('content is an attachment of type application/octet-stream with nosniff', async () => {
    const answer = await request(api.url).get(pagePath('http://www.site.test/', '/content')).buffer(true);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="content"',
      'x-content-type-options': 'nosniff',
      'orbweaver-content-type': 'text/html; charset=ISO-8859-1',
      'content-length': '5',
    });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.body).toEqual(Buffer.from('<p>\\\xff', 'latin1'));
  });

  it('content with a type in other signs than ASCII is returned, with question marks in that header', async () => {
    const page = { url: 'http://a.test/', status: 2, row: { content_type: 'text/蜘蛛' }, content: { content: 'x' } };
    await addPages(api.database, await newCrawl(api.database, 'odd'), [page]);
    const answer = await request(api.url).get('/v1/pages/http%3A%2F%2Fa.test%2F/content?crawlId=odd');
    expect([answer.status, answer.headers['orbweaver-content-type']]).toEqual([200, 'text/??']);
  });

  it('text is text/plain in UTF-8', async () => {
    const answer = await rawRequest(api.port, `GET ${pagePath('http://www.site.test/', '/text')}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain']);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.body).toBe('the text, über');
  });

  it.each([
    ['text', 'text/plain', 'the text, über'],
    ['readable', 'text/plain', 'the main, über'],
    ['markdown', 'text/markdown', '# main'],
  ])('text with as=%s returns %s', async (form, type, text) => {
    const answer = await rawRequest(api.port, `GET ${pagePath('http://www.site.test/', '/text')}&as=${form}`);
    expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([200, type, text]);
  });

  it('text returns 400 for another form and 404 if the main content was not stored', async () => {
    const bad = await request(api.url).get(`${pagePath('http://www.site.test/', '/text')}&as=html`);
    expect([bad.status, bad.body.errors[0].field]).toEqual([400, 'as']);
    const none = await request(api.url).get(`${pagePath('http://nutch.apache.org/', '/text')}&as=markdown`);
    expect([none.status, none.body.code]).toEqual([404, 'PAGE_WITHOUT_TEXT']);
    expect(none.body.detail).toContain('its parsing failed, it is noindex, or it has no text');
  });

  it.each([
    ['/content', 'PAGE_WITHOUT_CONTENT'],
    ['/text', 'PAGE_WITHOUT_TEXT'],
  ])('%s of a page without it returns 404 %s', async (rest, code) => {
    const { status, body } = await request(api.url).get(pagePath('http://nutch.apache.org/', rest));
    expect([status, body.code]).toEqual([404, code]);
    expect(body.detail).toContain('db_unfetched');
    expect((await request(api.url).get(pagePath('http://none.test/', rest))).body.code).toBe('PAGE_UNKNOWN');
  });
});
