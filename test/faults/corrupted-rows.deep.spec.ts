import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { temporaryFolder } from '../support/folders.js';
import { type Ended, runProgram } from '../support/server.js';
import { checkConsistency } from '../../src/webpage/consistency.sql.js';
import { keptCounts, recountStatuses } from '../../src/webpage/status-count.store.js';
import { type Hosts, startHosts } from './crawl.js';

/** Rows that were damaged by hand (fault F24): a step skips them and processes the others; `orbweaver check` reports them. */

const ALL = 4 * 5;

let hosts: Hosts;
let cycle: Cycle;
beforeAll(async () => {
  hosts = await startHosts({ hosts: 4, pages: 5 });
});
beforeEach(async () => {
  cycle = await openCycle();
  await cycle.inject(hosts.seeds);
  await cycle.run('GENERATE', { batch: 'b1' });
});
afterEach(() => cycle.close());
afterAll(() => hosts.close());

const run = async (type: 'FETCH' | 'PARSE' | 'UPDATEDB', batch = 'b1') => {
  const job = await cycle.run(type, { batch });
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  return job;
};
const damage = async (statement: string): Promise<void> => {
  const [row] = await cycle.db.query<{ n: number }>(
    `with done as (${statement} returning 1) select count(*)::int as n from done`,
  );
  expect(row!.n).toBe(1);
};
const one = `(crawl, host, key) = (select crawl, host, key from webpage order by key limit 1)`;
const fetched = async () =>
  (await cycle.db.query<{ n: number }>('select count(*)::int as n from webpage where status = 2'))[0]!.n;

describe('a damaged row', () => {
  it.each<[string, string]>([
    ['a JSON array', `'[1, 2]'`],
    ['a JSON string', `'"nonsense"'`],
    ['a JSON number', `'7'`],
    ['an object with values of all types', `'{"a": null, "b": [1], "c": {"d": 1}, "language": 5}'`],
  ])('whose metadata is %s is processed in a round like the others', async (_name, value) => {
    await damage(`update webpage set metadata = ${value} where ${one}`);
    await run('FETCH');
    await run('PARSE');
    await run('UPDATEDB');
    expect(await fetched()).toBe(ALL);
    await cycle.run('GENERATE', { batch: 'b2' });
    await run('FETCH', 'b2');
  });

  it('whose content cannot be decompressed fails to parse, and the others are parsed', async () => {
    await run('FETCH');
    await damage(`update page_content set content = '\\x0102' where ${one}`);
    const { result } = await run('PARSE');
    expect(result!.counters['ParserStatus']).toMatchObject({ success: ALL - 1 });
    await run('UPDATEDB');
  });

  it('whose outlinks are no keys adds no pages, and outlinks of the others are followed', async () => {
    await run('FETCH');
    await run('PARSE');
    await damage(
      `update page_content set outlink_keys = '{nonsense,"",":::",a:b}', outlink_anchors = '{1,2}' where ${one}`,
    );
    await run('UPDATEDB');
    await cycle.run('GENERATE', { batch: 'b2' });
    const { result } = await run('FETCH', 'b2');
    expect(result!.counters['FetcherStatus']!['NOTFOUND']).toBeGreaterThan(0);
  });

  it('whose key is no URL is skipped, and the others are fetched', async () => {
    await cycle.db.query(
      `insert into webpage (crawl, host, key, source_kind, fetch_time, fetch_interval, score, cash, generate_mark, batch_id, partition_hash)
       select crawl, k, k, 'seed', now(), 1, 1, 1, 'b1', 'b1', 7 from crawl, unnest('{nonsense,a b c}'::text[]) k, (select crawl from webpage limit 1) w
        where crawl.id = w.crawl`,
    );
    await run('FETCH');
    expect(await fetched()).toBe(ALL);
    await run('PARSE');
    await run('UPDATEDB');
  });
});

describe('orbweaver check', () => {
  const check = async (...words: string[]): Promise<Ended> => {
    const folder = await temporaryFolder();
    return runProgram({ dataDir: folder.path, databaseUrl: cycle.db.url, args: ['check', ...words] }).finally(() =>
      folder.remove(),
    );
  };

  it('finds nothing in the tables of a crawl before and after a round', async () => {
    expect(await checkConsistency(cycle.pool, { repair: false })).toEqual([]);
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) await run(type);
    expect(await checkConsistency(cycle.pool, { repair: false })).toEqual([]);
  });

  it('does not report or delete inlinks of URLs that are no pages, as INVERTLINKS stores them', async () => {
    await run('FETCH');
    await run('PARSE');
    const conf = { 'linkdb.ignore.internal.links': 'false', 'db.update.additions.allowed': 'false' };
    await cycle.run('INVERTLINKS', { batch: 'b1' }, { conf });
    expect(await cycle.run('UPDATEDB', { batch: 'b1' }, { conf })).toMatchObject({ state: 'FINISHED' });
    const withoutPage = () =>
      cycle.db.query(
        'select key from inlink i where not exists (select from webpage w where w.crawl = i.crawl and w.host = i.host and w.key = i.key)',
      );
    const before = await withoutPage();
    expect(before.length).toBeGreaterThan(0);
    expect(await checkConsistency(cycle.pool, { repair: true })).toEqual([]);
    expect(await withoutPage()).toHaveLength(before.length);
  });

  it('prints one line for each kind of damage and exits with 12; --repair repairs it', async () => {
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) await run(type);
    const { db } = cycle;
    await db.query(`update webpage set metadata = '[]' where ${one}`);
    await db.query(`update webpage set fetch_time = 'infinity', modified_time = '-infinity' where ${one}`);
    await db.query(`update webpage set score = 'NaN', cash = '-Infinity' where key like '%/p2'`);
    await db.query(`update webpage set rank = null, generate_mark = 'nobody' where key like '%/p1'`);
    await db.query(
      `insert into webpage (crawl, host, key, source_kind, fetch_time, fetch_interval, score, cash, index_mark)
       select crawl, 'nonsense', 'nonsense', 'seed', now(), 1, 1, 1, 'b1' from webpage limit 1`,
    );
    await db.query(`update host set n_fetched = n_fetched + 5 where host = '127.0.1.1'`);
    await db.query(
      `insert into page_content (crawl, host, key) select crawl, host, host || ':http/gone' from webpage order by key limit 1`,
    );
    // Statistics were requested, whose sums are stored.
    await recountStatuses(cycle.pool, 1);
    const found = await check();
    expect(found).toMatchObject({
      code: 12,
      stderr:
        'orbweaver: not in order; orbweaver check --repair mends it, and deletes what belongs to no page: dump first\n',
    });
    const lines = found.stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/ \(.*$/, ''));
    expect(lines).toEqual([
      'orbweaver: pages whose key is no URL: 1',
      'orbweaver: pages whose metadata is no object: 1',
      'orbweaver: pages with infinite times: 1',
      'orbweaver: pages with scores that are infinite or NaN: 4',
      'orbweaver: pages in batches that nobody generated: 4',
      'orbweaver: contents without a page: 1',
      'orbweaver: hosts whose numbers of pages are wrong: 1',
    ]);
    const repaired = await check('--repair');
    expect(repaired).toMatchObject({ code: 0, stderr: '' });
    // Deleted rows are not reported as repaired.
    const done = repaired.stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/ \(.*\);/, ';'));
    expect(done).toEqual([
      'orbweaver: pages whose key is no URL: 1; 1 deleted',
      'orbweaver: pages whose metadata is no object: 1; 1 emptied of it',
      'orbweaver: pages with infinite times: 1; 1 emptied of them, or due now',
      'orbweaver: pages with scores that are infinite or NaN: 4; 4 set to 0',
      'orbweaver: pages in batches that nobody generated: 4; 4 taken out',
      'orbweaver: contents without a page: 1; 1 deleted',
      'orbweaver: hosts whose numbers of pages are wrong: 1; 1 counted again',
    ]);
    expect(await check()).toMatchObject({ code: 0, stdout: 'orbweaver: all is in order\n' });
    const repairedPages = await db.query(
      `select score, cash, modified_time, isfinite(fetch_time) as finite from webpage where ${one} or key like '%/p2' order by key`,
    );
    expect(repairedPages[0]).toMatchObject({ finite: true, modified_time: null });
    for (const page of repairedPages.slice(1)) expect(page).toMatchObject({ score: 0, cash: 0 });
    // CLEAN will delete its document.
    expect(await db.query('select key from removed_document')).toEqual([{ key: 'nonsense' }]);
    const inTable = await db.query<{ n: number }>('select count(*)::int as n from webpage where crawl = 1');
    const { counts } = await keptCounts(cycle.pool, 1);
    expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(inTable[0]!.n);
    const job = await cycle.run('GENERATE', { batch: 'b2' });
    expect(Number(job.result!['generate.count'])).toBeGreaterThan(0);
  });

  it('skips crawls with open jobs and exits with 13; an unknown option exits with 2', async () => {
    await cycle.db.query(`update webpage set metadata = '[]' where ${one}`);
    await cycle.db.query(`update job set state = 'RUNNING', ended_at = null where type = 'GENERATE'`);
    const leftOut = {
      code: 13,
      stdout: 'orbweaver: crawl "k" has open jobs: it is left out\n',
      stderr: 'orbweaver: nothing found in the other crawls; end the open jobs and check again\n',
    };
    expect(await check()).toMatchObject(leftOut);
    expect(await check('--repair')).toMatchObject(leftOut);
    expect(await check('--fix')).toMatchObject({ code: 2 });
  });
});
