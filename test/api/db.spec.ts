import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { ensureHistoryPartitions } from '../../src/webpage/fetch-history.store.js';
import { api, keys, post, useCrawldbPages } from './crawldb-pages.js';

useCrawldbPages();

const db = async (filter: object) => {
  const answer = await post('/db', { crawlId: 'k1', ...filter });
  expect(answer.status).toBe(200);
  return answer.body as { values: Record<string, unknown>[]; cursor: string | null };
};

const keysOf = async (filter: object) => (await db({ fields: ['key'], ...filter })).values.map(({ key }) => key);

describe('POST /db', () => {
  it('returns pages in the order of their row keys', async () => {
    expect(await keysOf({})).toEqual(keys);
  });

  it('continues after the cursor until it is null', async () => {
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const answer: { values: Record<string, unknown>[]; cursor: string | null } = await db({
        fields: ['key'],
        limit: 2,
        cursor,
      });
      seen.push(...answer.values.map(({ key }) => key));
      cursor = answer.cursor;
    } while (cursor !== null);
    expect(seen).toEqual(keys);
  });

  it('returns no cursor when no page follows, even if the limit is reached (M7)', async () => {
    expect((await db({ fields: ['key'], limit: keys.length })).cursor).toBeNull();
    expect((await db({ fields: ['key', 'inlinks'], limit: keys.length - 1 })).cursor).toBe(keys.at(-2));
  });

  it('reads the range of a domain (A7)', async () => {
    const found = await keysOf({ startKey: 'org.apache.', endKey: 'org.apache/', isKeysReversed: true });
    expect(found).toEqual(['org.apache.gora:http/', 'org.apache.nutch:http/', 'org.apache.www:http/']);
  });

  it.each(['isKeysReversed', 'keysReversed'])('accepts row keys with %s', async (name) => {
    for (const flag of [true, 'true', 'True', 'TRUE'])
      expect(await keysOf({ startKey: 'org.wikipedia.nl:http/', [name]: flag })).toEqual(['org.wikipedia.nl:http/']);
  });

  it('accepts URLs as keys and includes both ends of the range', async () => {
    const range = { startKey: 'http://www.example.com/', endKey: 'http://www.example.com/about/' };
    expect(await keysOf(range)).toEqual(['com.example.www:http/', 'com.example.www:http/about/']);
  });

  it('reads URLs of a range as they are stored', async () => {
    const range = { startKey: 'HTTP://WWW.Example.COM:80/', endKey: 'http://www.example.com/日' };
    expect(await keysOf(range)).toEqual(['com.example.www:http/']);
  });

  it('ignores an end key without a start key', async () => {
    expect(await keysOf({ endKey: 'http://www.example.com/' })).toEqual(keys);
  });

  it.each([
    ['b1', 1],
    ['-all', 1],
    ['b2', 0],
  ])('compares batchId %s with the update mark', async (batchId, n) => {
    expect((await db({ batchId })).values).toHaveLength(n);
  });

  it('returns a page in the format of 2.x', async () => {
    const { values } = await db({ batchId: 'b1' });
    expect(values[0]).toMatchObject({
      url: 'http://www.example.com/',
      status: 2,
      fetchTime: Date.parse('2026-01-01T00:00:00Z'),
      fetchInterval: 2_592_000,
      protocolStatus: 'SUCCESS, args=[]',
      parseStatus: 'success/ok (1/0), args=[]',
      signature: 'd41d8cd98f00b204e9800998ecf8427e',
      title: 'A title',
      markers: { _injmrk_: 'y', _updmrk_: 'b1', dist: '0' },
      metadata: { lang: 'it' },
      headers: { Server: 'x' },
      outlinks: { 'http://www.example.com/about/': 'About', 'http://apache.org/': '' },
      inlinks: { 'http://sourceforge.net/': 'to example' },
    });
    expect(values[0]).not.toHaveProperty('content');
  });

  it('returns text and content on request and ignores unknown fields', async () => {
    const { values } = await db({ batchId: 'b1', fields: ['text', 'content', 'constructor', 'nothing'] });
    expect(values).toEqual([{ text: 'the text', content: String.raw`<p>\x5C\xFF` }]);
  });

  it('returns the visits of each page on request, newest first (K1, K2)', async () => {
    const { pool } = api.database;
    await ensureHistoryPartitions(pool);
    for (const [at, status] of [
      [2, 2],
      [1, 34],
    ])
      await pool.query(
        `insert into fetch_history (crawl, host, key, time, status, protocol_code, http_status)
         select crawl, host, key, now() - make_interval(mins => $1), $2, 1, 200 from webpage where key = 'com.example.www:http/'`,
        [at, status],
      );
    const { values } = await db({ fields: ['url', 'history'] });
    expect(values).toHaveLength(keys.length);
    const visited = values.filter(({ history }) => (history as unknown[]).length > 0);
    expect(visited).toMatchObject([
      {
        url: 'http://www.example.com/',
        history: [{ status: 'fetch_retry' }, { status: 'db_fetched', httpStatus: 200 }],
      },
    ]);
    expect((await db({ batchId: 'b1' })).values[0]).not.toHaveProperty('history');
  });

  it.each([[null], [[]]])('returns the default fields for fields %j', async (fields) => {
    expect(await db({ batchId: 'b1', fields })).toEqual(await db({ batchId: 'b1' }));
  });

  it('returns no pages for an unknown crawl or the empty crawl id', async () => {
    expect(await keysOf({ crawlId: 'k9' })).toEqual([]);
    expect(await keysOf({ crawlId: '' })).toEqual([]);
  });

  it('reads the crawl with the empty id for an empty body', async () => {
    expect((await request(api.url).post('/db')).body).toEqual({ values: [], cursor: null });
  });

  it.each([
    [{ startKey: 'site.test' }, 'QUERY_INVALID'],
    [{ startKey: 'http://a/', endKey: 'b' }, 'QUERY_INVALID'],
    [{ limit: 0 }, 'FIELDS_INVALID'],
    [{ limit: 1e9 }, 'FIELDS_INVALID'],
    [{ fields: 'url' }, 'FIELDS_INVALID'],
    [{ fields: [1] }, 'FIELDS_INVALID'],
    [{ crawlId: { a: 1 } }, 'FIELDS_INVALID'],
    [{ cursor: 7 }, 'FIELDS_INVALID'],
    [{ cursor: 'garbage' }, 'QUERY_INVALID'],
    [{ cursor: "' union select 1 --" }, 'QUERY_INVALID'],
  ])('%j returns 400 %s', async (filter, code) => {
    const answer = await post('/db', { crawlId: 'k1', ...filter });
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });

  it.each([
    "'",
    '"; drop table webpage; --',
    "' union select 1 --",
    '\\',
    '/*',
    '%27',
    "') or 1=1 --",
    "a'||pg_sleep(5)||'",
    '0x27',
    '${1}',
    '$1',
    "E'\\\\x27'",
  ])('treats an SQL injection (%s) in any text field as text', async (text) => {
    for (const filter of [{ batchId: text }, { startKey: text, isKeysReversed: true }, { fields: [text] }]) {
      expect((await post('/db', { crawlId: 'k1', ...filter })).status).toBe(200);
    }
    expect(await keysOf({})).toEqual(keys);
  });
});
