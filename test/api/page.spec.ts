import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { reverseUrl } from '../../src/core/url/row-key.js';
import { rawRequest } from './api-under-test.js';
import { byBytes } from './seeded-pages.js';
import { api, oddTitle, pages, useStoredPages } from './stored-pages.js';

const keys = pages.map(({ url }) => reverseUrl(url)).toSorted(byBytes);

useStoredPages();

type Page = Record<string, unknown> & { key: string };
const list = async (query: Record<string, string | number>) => {
  const answer = await request(api.url)
    .get('/v1/pages')
    .query({ crawlId: 'k1', ...query });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  return answer.body as { pages: Page[]; cursor: string | null };
};
const urlsOf = async (query: Record<string, string | number>) => (await list(query)).pages.map(({ url }) => url);

describe('GET /v1/pages as JSON', () => {
  it('returns pages in the order of their row keys, with status names, ISO times and unreversed hosts', async () => {
    const { pages: found, cursor } = await list({});
    expect(found.map(({ key }) => key)).toEqual(keys);
    expect(cursor).toBeNull();
    expect(found.find(({ url }) => url === 'http://www.site.test/')).toEqual({
      url: 'http://www.site.test/',
      key: 'test.site.www:http/',
      host: 'www.site.test',
      domain: 'site.test',
      status: 'db_fetched',
      statusCode: 2,
      score: 1,
      distance: 0,
      fetchTime: '2026-01-01T00:00:00.000Z',
      prevFetchTime: '2025-12-01T00:00:00.000Z',
      fetchInterval: 2_592_000,
      retries: 0,
      modifiedTime: '2025-11-30T23:59:59.500Z',
      prevModifiedTime: null,
      batchId: 'b1',
      marks: { inject: 'y', generate: null, fetch: null, parse: null, update: 'b1', index: null },
      protocolStatus: { code: 1, name: 'SUCCESS', args: [] },
      httpStatus: 200,
      parseStatus: { major: 1, minor: 0, name: 'success/ok', args: [] },
      signature: 'd41d8cd98f00b204e9800998ecf8427e',
      prevSignature: null,
      title: oddTitle,
      contentType: 'text/html; charset=ISO-8859-1',
      baseUrl: null,
      reprUrl: null,
      redirectUrl: null,
      sourceKind: 'seed',
      etag: null,
      lastModified: null,
      metadata: { language: 'en' },
    });
  });

  it.each([1, 2, 5, 12, 13, 14])(
    'returns every page once in key order when read by cursor with limit %i',
    async (limit) => {
      const seen: string[] = [];
      let cursor: string | null = null;
      let last = 0;
      do {
        const answer: { pages: Page[]; cursor: string | null } = await list({ limit, ...(cursor && { cursor }) });
        seen.push(...answer.pages.map(({ key }) => key));
        cursor = answer.cursor;
        last = answer.pages.length;
      } while (cursor !== null);
      expect(seen).toEqual(keys);
      expect(last).toBeGreaterThan(0);
    },
  );

  it.each<[string, string[]]>([
    ['db_fetched', ['http://www.site.test/', 'http://www.site.test/docs/a?b=c&d=%2F']],
    ['2', ['http://www.site.test/', 'http://www.site.test/docs/a?b=c&d=%2F']],
    ['status_gone', ['http://apache.org/', 'http://www.site.test/docs2']],
    ['DB_GONE, 34', ['http://apache.org/', 'https://www.site.test/docs/', 'http://www.site.test/docs2']],
    ['db_duplicate', []],
  ])('filters by status %s', async (status, urls) => {
    expect((await urlsOf({ status })).toSorted()).toEqual(urls.toSorted());
  });

  it.each<[string, string[]]>([
    ['http://www.site.test/docs/', ['http://www.site.test/docs/', 'http://www.site.test/docs/a?b=c&d=%2F']],
    [
      'http://www.site.test/docs',
      ['http://www.site.test/docs/', 'http://www.site.test/docs/a?b=c&d=%2F', 'http://www.site.test/docs2'],
    ],
    ['http://www.site.test/docs/a?b', ['http://www.site.test/docs/a?b=c&d=%2F']],
    ['https://WWW.site.test:443', ['https://www.site.test/docs/']],
    ['http://www.site.test:8080', ['http://www.site.test:8080/docs/']],
    ['http://site.test', ['http://site.test/']],
    ['http://[2001:db8::1]/', ['http://[2001:db8::1]/x']],
    ['org.apache.', ['http://nutch.apache.org/']],
    ['org.apache:', ['http://apache.org/']],
    ['org.apache', ['http://apache-x.org/', 'http://apache.org/', 'http://nutch.apache.org/']],
    ['192.0.2.', ['http://192.0.2.1/x']],
    ['none', []],
  ])('filters by prefix %s', async (prefix, urls) => {
    expect((await urlsOf({ prefix })).toSorted()).toEqual(urls.toSorted());
  });

  it.each<[string, number]>([
    ['www.site.test', 6],
    ['test.site.www', 6],
    ['WWW.Site.Test', 6],
    ['site.test', 1],
    ['test.site', 1],
    ['192.0.2.1', 1],
    ['[2001:db8::1]', 1],
    ['none.test', 0],
    ['www.site.test:', 0],
  ])('host %s returns %i pages', async (host, n) => {
    expect((await list({ host })).pages).toHaveLength(n);
  });

  it.each<[string, string[]]>([
    ['b1', ['http://www.site.test/', 'http://www.site.test/docs2']],
    ['b2', ['http://www.site.test/docs/', 'http://www.site.test/docs/a?b=c&d=%2F']],
  ])('batch %s returns the pages with its generate or update mark', async (batch, urls) => {
    expect(await urlsOf({ batch })).toEqual(urls);
  });

  it('a batch is found by its segment name too (C28)', async () => {
    await api.database.query(
      `insert into batch (crawl, id, segment, segnum, generated_at, pages)
       select id, 'b1', '20260131090507', 1, now(), 2 from crawl where name = 'k1'`,
    );
    expect(await urlsOf({ batch: '20260131090507' })).toEqual(await urlsOf({ batch: 'b1' }));
  });

  it.each(['b3', '20260131090508', "') or 1=1 --"])(
    'an unknown batch (%s) returns 404 that names it',
    async (batch) => {
      const { status, body } = await request(api.url).get('/v1/pages').query({ crawlId: 'k1', batch });
      expect([status, body.code]).toEqual([404, 'BATCH_UNKNOWN']);
      expect(body.detail).toContain(batch);
    },
  );

  it.each(['garbage', 'test.site.www', 'http', ':'])('the malformed cursor %s returns 400', async (cursor) => {
    const { status, body } = await request(api.url).get('/v1/pages').query({ crawlId: 'k1', cursor });
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'FIELDS_INVALID', 'cursor']);
  });

  it('combines filters with each other and with a cursor', async () => {
    expect(await urlsOf({ host: 'www.site.test', prefix: 'test.site.www:http/docs', status: 'db_gone' })).toEqual([
      'http://www.site.test/docs2',
    ]);
    expect(await urlsOf({ host: 'apache.org', prefix: 'test.' })).toEqual([]);
    expect(await urlsOf({ batch: 'b1', status: '2', prefix: 'http://www.site.test/' })).toEqual([
      'http://www.site.test/',
    ]);
    const first = await list({ batch: 'b2', limit: 1 });
    expect(first.cursor).toBe('test.site.www:http/docs/');
    const second = await list({ batch: 'b2', limit: 1, cursor: first.cursor! });
    expect([second.pages[0]?.url, second.cursor]).toEqual(['http://www.site.test/docs/a?b=c&d=%2F', null]);
  });

  it('an unknown crawl returns 404 that names it, also for NDJSON', async () => {
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const { status, body } = await request(api.url)
        .get('/v1/pages?crawlId=k9')
        .set('Accept', `${accept}, application/problem+json`);
      expect([status, body.code]).toEqual([404, 'CRAWL_UNKNOWN']);
      expect(body.detail).toContain('k9');
    }
  });

  it.each<[string, string]>([
    ['limit=all', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=0', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1e3', 'limit'],
    ['limit=', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['status=db_lost', 'status'],
    ['status=2,', 'status'],
    ['status=10', 'status'],
    ['prefix=http://', 'prefix'],
    ['prefix=http://a b/', 'prefix'],
    ['crawlId=../x', 'crawlId'],
    [`prefix=${'x'.repeat(5_000)}`, 'prefix'],
    ['crawlId=k9&status=x', 'status'],
  ])('%s returns 400 that names the field', async (query, field) => {
    const { status, body } = await request(api.url).get(`/v1/pages?${query}`);
    expect([status, body.code]).toEqual([400, 'FIELDS_INVALID']);
    expect(body.errors[0].field).toBe(field);
  });

  it.each(["'", "') or 1=1 --", '%', '_', '\\', '%FF', '🕸', '\u{10FFFF}', '\u{D7FF}'])(
    'treats special characters (%s) in a filter as text',
    async (text) => {
      for (const field of ['prefix', 'host']) expect((await list({ [field]: text })).pages).toEqual([]);
    },
  );
});

describe('a NUL in path or query', () => {
  it.each([
    '/v1/pages?prefix=%00',
    '/v1/pages?host=a%00b',
    '/v1/pages?batch=%00',
    '/v1/pages?cursor=%00',
    '/v1/pages/%00?crawlId=k1',
    '/v1/pages/http%3A%2F%2Fa%00b%2F/content?crawlId=k1',
    '/v1/hosts?prefix=%00',
    '/v1/hosts?cursor=%00',
    '/v1/hosts/a%00b?crawlId=k1',
  ])('%s returns 400 that mentions NUL', async (path) => {
    const answer = await rawRequest(api.port, `GET ${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect((JSON.parse(answer.body) as { detail: string }).detail).toContain('NUL');
  });
});
