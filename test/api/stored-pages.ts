import { afterAll, beforeAll } from 'vitest';
import { ensureHistoryPartitions } from '../../src/webpage/fetch-history.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';

/** The pages of crawl `k1` that the specs of /v1/pages read: one has every field, the others only hosts and statuses. */

/** Markup, and the stored form of NUL and of half a surrogate pair. */
export const oddTitle = '<script>alert("1")</script> & \uFFFD \u2028 “ü” 🕸';

export const pages = [
  {
    url: 'http://www.site.test/',
    status: 2,
    row: {
      title: oddTitle,
      content_type: 'text/html; charset=ISO-8859-1',
      prev_fetch_time: '2025-12-01T00:00:00Z',
      modified_time: '2025-11-30T23:59:59.5Z',
      batch_id: 'b1',
      update_mark: 'b1',
      inject_mark: 'y',
      protocol_code: 1,
      http_status: 200,
      parse_major: 1,
      parse_minor: 0,
      signature: 'd41d8cd98f00b204e9800998ecf8427e',
      metadata: { language: 'en', readable: 'the main, über', markdown: '# main' },
    },
    content: {
      content: Buffer.from('<p>\\\xff', 'latin1'),
      content_length: 5,
      text: 'the text, über',
      text_length: 14,
      charset: 'windows-1252',
      headers: { server: 'x' },
      outlink_keys: ['test.site.www:http/docs/', 'test.other:http/'],
      outlink_anchors: ['Docs', null],
    },
  },
  { url: 'http://www.site.test/docs/', row: { generate_mark: 'b2', batch_id: 'b2' } },
  {
    url: 'http://www.site.test/docs/a?b=c&d=%2F',
    row: { generate_mark: 'b2', batch_id: 'b2', fetch_mark: 'b2' },
    status: 2,
  },
  { url: 'http://www.site.test/docs2', status: 3, row: { protocol_code: 14, http_status: 404, update_mark: 'b1' } },
  { url: 'https://www.site.test/docs/', status: 34 },
  { url: 'http://www.site.test:8080/docs/', status: 6 },
  { url: 'http://site.test/', status: 5, row: { protocol_code: 12, protocol_args: ['http://www.site.test/'] } },
  { url: 'http://site.test.other.test/' },
  { url: 'http://apache.org/', status: 3 },
  { url: 'http://apache-x.org/' },
  { url: 'http://nutch.apache.org/' },
  { url: 'http://192.0.2.1/x' },
  { url: 'http://[2001:db8::1]/x' },
];

/** The API over these pages, once a spec called `useStoredPages`. */
export let api: ApiUnderTest;

export function useStoredPages(): void {
  beforeAll(async () => {
    api = await apiUnderTest();
    const { database } = api;
    await ensureHistoryPartitions(database.pool);
    const crawl = await newCrawl(database, 'k1');
    await addPages(database, crawl, pages);
    const at = [crawl, 'test.site.www', 'test.site.www:http/'];
    await database.query(
      `insert into fetch_history (crawl, host, key, time, status, protocol_code, http_status, ms, bytes, job)
       select $1, $2, $3, now() - make_interval(secs => i), 2, 1, 200, i, 100, 'k1-default-FETCH-' || i from generate_series(1, 150) i`,
      at,
    );
    await database.query(
      `insert into inlink (crawl, host, key, source, anchor, score)
       select $1, $2, $3, 'test.other:http/' || i, 'anchor ' || i, i from generate_series(1, 150) i`,
      at,
    );
  });
  afterAll(() => api?.close());
}

export const pagePath = (url: string, rest = ''): string => `/v1/pages/${encodeURIComponent(url)}${rest}?crawlId=k1`;
