import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Searcher } from '../../src/search/searcher.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { testDatabase } from '../support/database.js';
import { AT_GATE, Crawler, until } from './crawl.js';

/**
 * kill -9 of the whole server while INDEX merges segments: the index is unchanged until the merge is complete, searches find all
 * pages once at any moment, and the next attempt gives the same index as an undisturbed INDEX.
 */

const BATCHES = 9;
const PAGES_OF_BATCH = 120;
const ALL = BATCHES * PAGES_OF_BATCH;
const GATE = 4713;
const REQUEST = {
  limit: 100,
  similarity: 'bm25f',
  facets: ['host'],
  weights: [5, 3, 1.5, 1.5, 2, 1],
  bm25: { k1: 1.2, b: 0.75 },
  expand: 'auto',
  collapse: true,
  explain: false,
  snippets: 0,
} as const;

let crawler: Crawler;
let searcher: Searcher;
const crawls: Record<string, number> = {};

beforeAll(async () => {
  const db = await testDatabase();
  searcher = new Searcher(db.pool, 1_000_000);
  // A merge waits before it makes its segment visible, or before it deletes the old ones, while the gate is closed.
  await db.query(`create function wait_at_merge() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' or (select count(*) from search_segment s where s.crawl = new.crawl) >= ${BATCHES} then
        perform pg_advisory_xact_lock_shared(${GATE} + case when tg_op = 'DELETE' then 1 else 0 end);
      end if;
      return coalesce(new, old);
    end $$`);
  await db.query(`create trigger wait_at_merge before insert or delete on search_segment for each row
    execute function wait_at_merge()`);
  for (const name of ['undisturbed', 'seen', 'deleting']) {
    crawls[name] = await crawlNumber(db.pool, name);
    await db.query(
      `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, update_mark,
                            parse_major, parse_minor, title)
       select $1, 'test.h' || i % 7, 'test.h' || i % 7 || ':http/' || i, now() + interval '1 day', 1, 1, 0, 2, 'link',
              'b' || i % ${BATCHES}, 1, 0, 'ferry ' || i || case i % 3 when 0 then ' night' when 1 then ' day boat' else '' end
         from generate_series(1, ${ALL}) i`,
      [crawls[name]],
    );
    await db.query(
      `insert into batch (crawl, id, segment, segnum, pages, generated_at) select $1, 'b' || i, 's' || i, i, 1, now() from generate_series(0, ${BATCHES - 1}) i`,
      [crawls[name]],
    );
  }
  crawler = new Crawler(db, { WORKERS: '1' });
  await crawler.start();
  await crawler.configure();
});
afterAll(async () => {
  await crawler?.close();
  await crawler?.db.drop();
});

const search = (crawl: string, query: string) => searcher.search({ ...REQUEST, crawl: crawls[crawl]!, query });
/** Results of searches, without numbers of segments. */
async function answers(crawl: string): Promise<unknown[]> {
  const all = [];
  for (const query of ['ferry', 'night', '"day boat"', '77*', 'site:h3.test boat', 'ferry -night']) {
    const { hits, total, facets } = await search(crawl, query);
    const shown = hits.map(({ id, score, title }) => ({ id, score: Math.fround(score), title }));
    all.push({ query, total, facets, hits: query === 'ferry' ? [] : shown.sort((a, b) => (a.id < b.id ? -1 : 1)) });
  }
  return all;
}
/** Documents of each segment, number of documents in segments, and number of marked pages. */
async function tables(crawl: string): Promise<unknown> {
  const { db } = crawler;
  const number = [crawls[crawl]];
  return {
    segments: await db.query(
      'select documents, live_documents from search_segment where crawl = $1 order by 1',
      number,
    ),
    places: await db.query(
      `select count(*)::int as n, count(distinct (d.seg, d.doc))::int as places from search_doc d
         join search_segment s on s.crawl = d.crawl and s.seg = d.seg where d.crawl = $1`,
      number,
    ),
    lost: await db.query(
      `select (select count(*)::int from search_posting p where p.crawl = $1
                and not exists (select from search_segment s where s.crawl = p.crawl and s.seg = p.seg)) as postings,
              (select count(*)::int from search_stored p where p.crawl = $1
                and not exists (select from search_segment s where s.crawl = p.crawl and s.seg = p.seg)) as stored`,
      number,
    ),
    marked: await db.query('select count(index_mark)::int as n from webpage where crawl = $1', number),
  };
}

/** INDEX of one batch after the other. @returns the id of the last job, whose INDEX merges */
async function index(crawl: string, batches: readonly number[]): Promise<string> {
  let id = '';
  for (const batch of batches) {
    ({ id } = await crawler.create('INDEX', { batch: `b${batch}` }, crawl));
    if (batch < BATCHES - 1) expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
  }
  return id;
}
const batches = Array.from({ length: BATCHES }, (_, i) => i);

describe('after kill -9 during a merge the index is unchanged, and the next attempt completes the merge', () => {
  beforeAll(async () => {
    const id = await index('undisturbed', batches);
    expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
    expect(await tables('undisturbed')).toMatchObject({
      segments: [{ documents: ALL, live_documents: ALL }],
      places: [{ n: ALL, places: ALL }],
    });
  });

  it.each([
    ['before its segment is visible', 'seen', GATE],
    ['before the old segments are deleted', 'deleting', GATE + 1],
  ])('%s', async (_, crawl, key) => {
    await index(crawl, batches.slice(0, -1));
    const gate = new pg.Client({ connectionString: crawler.db.url });
    await gate.connect();
    await gate.query('select pg_advisory_lock($1)', [key]);
    const id = await index(crawl, batches.slice(-1));
    await until(crawler.db, AT_GATE, 1);
    expect((await search(crawl, 'ferry')).total).toBe(ALL);
    const former = await crawler.db.query('select seg from search_segment where crawl = $1', [crawls[crawl]]);
    expect(former).toHaveLength(BATCHES);
    await crawler.kill();
    expect((await search(crawl, 'ferry')).total).toBe(ALL);
    await gate.end();
    // The session of the dead server ends its statement, finds its client gone and rolls back.
    await until(
      crawler.db,
      `select 1 - least(count(*), 1) as n from pg_locks where locktype = 'advisory' and classid = 7104540`,
      1,
    );
    expect(await crawler.db.query('select seg from search_segment where crawl = $1', [crawls[crawl]])).toEqual(former);
    await crawler.start();
    expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
    expect(await tables(crawl)).toEqual(await tables('undisturbed'));
    expect(await answers(crawl)).toEqual(await answers('undisturbed'));
  });
});
