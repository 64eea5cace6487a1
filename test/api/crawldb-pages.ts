import { zstdCompressSync } from 'node:zlib';
import request from 'supertest';
import { afterAll, beforeAll } from 'vitest';
import { hostKeyOf, reverseUrl } from '../../src/core/url/row-key.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';

/** The pages of crawl `k1` that the specs of the readers of 1.x and 2.x request; one of them is fetched. */

/** The eight hosts of the row key example, and hosts whose keys do not sort as their names do. */
const urls = [
  'http://www.example.com/',
  'http://www.example.com/about/',
  'http://sourceforge.net/',
  'http://gora.apache.org/',
  'http://nutch.apache.org/',
  'http://www.apache.org/',
  'http://en.wikipedia.org/',
  'http://nl.wikipedia.org/',
  'http://apache.org/',
  'http://apache-x.org/',
  'http://apache.org:8080/x?y=z',
];
export const keys = urls.map(reverseUrl).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** The API over these pages, once a spec called `useCrawldbPages`. */
export let api: ApiUnderTest;

export function useCrawldbPages(): void {
  beforeAll(async () => {
    api = await apiUnderTest();
    await nameCrawler(api);
    const [crawl] = await api.database.query<{ id: number }>(`insert into crawl (name) values ('k1') returning id`);
    for (const [at, key] of keys.entries()) await addPage(crawl?.id ?? 0, key, at);
    await fetchPage(crawl?.id ?? 0, reverseUrl('http://www.example.com/'));
  });
  afterAll(() => api?.close());
}

async function addPage(crawl: number, key: string, at: number): Promise<void> {
  await api.database.query(
    `insert into webpage (crawl, host, key, fetch_time, score, cash, fetch_interval, source_kind, inject_mark, metadata)
     values ($1, $2, $3, '2026-01-01T00:00:00Z', $4, 0, 2592000, 'seed', 'y', '{"lang":"it"}')`,
    [crawl, hostKeyOf(key), key, at + 1],
  );
  await api.database.query(
    `insert into host (crawl, host, domain, n_unfetched) values ($1, $2, $2, 1)
     on conflict (crawl, host) do update set n_unfetched = host.n_unfetched + 1`,
    [crawl, hostKeyOf(key)],
  );
}

async function fetchPage(crawl: number, key: string): Promise<void> {
  const at = [crawl, hostKeyOf(key), key];
  await api.database.query(
    `update webpage set status = 2, update_mark = 'b1', batch_id = 'b1', protocol_code = 1, parse_major = 1, parse_minor = 0,
            signature = 'd41d8cd98f00b204e9800998ecf8427e', title = 'A title', retries_since_fetch = 2
      where crawl = $1 and host = $2 and key = $3`,
    at,
  );
  await api.database.query(
    `update host set n_unfetched = n_unfetched - 1, n_fetched = 1 where crawl = $1 and host = $2`,
    at.slice(0, 2),
  );
  await api.database.query(
    `insert into page_content (crawl, host, key, headers, outlink_keys, outlink_anchors, text, content)
     values ($1, $2, $3, '{"Server":"x"}', $4, $5, $6, $7)`,
    [
      ...at,
      ['com.example.www:http/about/', 'org.apache:http/'],
      ['About', null],
      zstdCompressSync(Buffer.from('the text')),
      zstdCompressSync(Buffer.from('<p>\\\xff', 'latin1')),
    ],
  );
  await api.database.query(
    `insert into inlink (crawl, score, host, key, source, anchor) values ($1, 1, $2, $3, 'net.sourceforge:http/', 'to example')`,
    at,
  );
}

export const post = (path: string, body: object): request.Test => request(api.url).post(path).send(body);
