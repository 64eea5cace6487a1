import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanJob } from '../../src/cycle/clean/clean.job.js';
import { IndexJob } from '../../src/cycle/index/index.job.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { indexFiles, indexLines } from './index-files.js';
import { runKilled } from './interrupted.js';

useCrawler({ uncounted: true });

const folders: TemporaryFolder[] = [];
let crawl: number;

/** Pages of a batch in the table, on many hosts. */
beforeAll(async () => {
  await crawler.inject('large', []);
  [crawl] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'large'`)).map(({ id }) => id) as [
    number,
  ];
  await cycle.db.query(
    `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, update_mark, parse_major,
                          parse_minor, title)
     select $1, 'test.h' || i % 50, 'test.h' || i % 50 || ':http/' || i, now() + interval '1 day', 1, 1, 0, 2, 'link', 'big', 1, 0,
            'title ' || i
       from generate_series(1, 1800) i`,
    [crawl],
  );
});
afterAll(async () => {
  for (const folder of folders) await folder.remove();
});

async function folderOfItsOwn(): Promise<string> {
  const folder = await temporaryFolder();
  folders.push(folder);
  return folder.path;
}

const conf = {
  'plugin.includes.also': 'indexer-jsonl|indexer-dummy',
  'indexer.indexwriters.rules': `<writers>
    <writer id="lines" class="indexer-jsonl"><parameters><param name="parts" value="2"/></parameters></writer>
    <writer id="names" class="indexer-dummy"/>
  </writers>`,
};
const job = { id: 'j', crawlId: 'k' };
const marked = async () =>
  (await cycle.db.query<{ n: number }>('select count(index_mark)::int as n from webpage where crawl = $1', [crawl]))[0]!
    .n;

/** Runs INDEX and then CLEAN, killed after every `writes` writes; returns their counters, marks and files. */
async function left(writes: number) {
  const [indexDir, cleanDir] = [await folderOfItsOwn(), await folderOfItsOwn()];
  await cycle.db.query(`update webpage set status = 2, index_mark = null where crawl = $1`, [crawl]);
  const what = { pool: cycle.pool, crawl, conf, writes };
  const index = await runKilled(new IndexJob(), { ...what, args: { batch: 'big' }, indexDir });
  const indexed = await marked();
  await cycle.db.query(
    `update webpage set status = case right(key, 1) when '0' then 3 when '1' then 7 else 4 end where crawl = $1 and right(key, 1) < '3'`,
    [crawl],
  );
  const clean = await runKilled(new CleanJob(), { ...what, args: {}, indexDir: cleanDir });
  return {
    attempts: index.attempts,
    counted: [index.counted, clean.counted],
    marked: [indexed, await marked()],
    lines: await indexFiles(indexDir, job, 'lines'),
    names: await indexFiles(indexDir, job, 'names'),
    deleted: await indexLines(cleanDir, job, 'lines'),
  };
}

it('INDEX and CLEAN killed after every write or two give the same counters, marks and files as undisturbed ones', async () => {
  const { attempts, ...undisturbed } = await left(1_000);
  expect(attempts).toBe(1);
  expect(undisturbed.marked).toEqual([1_800, 1_260]);
  expect(undisturbed.counted).toMatchObject([
    { DocumentCount: 1_800, 'indexed (add/update)': 1_800 },
    { 'Deleted documents': 540, 'deleted (gone)': 180, 'deleted (duplicates)': 180, 'deleted (redirects)': 180 },
  ]);
  expect(undisturbed.deleted).toHaveLength(540);
  for (const writes of [1, 2]) {
    const { attempts: many, ...killed } = await left(writes);
    expect(many).toBeGreaterThan(1);
    expect(killed).toEqual(undisturbed);
  }
});
