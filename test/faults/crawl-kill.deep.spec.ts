import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCycle } from '../support/cycle.js';
import { testDatabase } from '../support/database.js';
import { Crawler, type Hosts, type Job, type Left, pause, startHosts, whatIsLeft } from './crawl.js';

/**
 * One POST /v1/crawls, and kill -9 of the server with all its workers every few seconds until the crawl has ended: no call but
 * the first one, and the same table as after an undisturbed crawl.
 */

const HOSTS = 12;
const PAGES = 40;
const KILLS = { least: 3, most: 6 };

let hosts: Hosts;
let crawler: Crawler;
let expected: Left;
let seeds: string[];

/**
 * Responses that the web still sends before it waits for a kill: no crawl ends before the minimum of kills, however slow the
 * machine.
 */
let allowed = Infinity;
const exhausted = (): boolean => allowed <= 0;
async function mayAnswer(): Promise<void> {
  while (exhausted()) await pause(20);
  allowed--;
}

beforeAll(async () => {
  hosts = await startHosts({ hosts: HOSTS, pages: PAGES, pauseMs: 50, mayAnswer });
  seeds = hosts.seeds.filter((url) => url.endsWith('/p0'));
  const cycle = await openCycle();
  await cycle.inject(seeds);
  while ((await cycle.round({ conf: { 'fetcher.threads.fetch': '100' } })) > 0);
  expected = await whatIsLeft(cycle.db);
  await cycle.close();
});

afterAll(() => hosts.close());

const stateOf = async (id: string): Promise<string> =>
  (await crawler.db.query<{ state: string }>('select state from job where id = $1', [id]))[0]!.state;

const without = (row: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
/** Without values that depend on the order of visits: scores, and the distance at which a page was found. */
const withoutOrder = ({ pages, inlinks, ...rest }: Left): unknown => ({
  pages: pages.map((page) => without(page, 'score', 'cash', 'spend', 'distance')),
  inlinks: inlinks.map((inlink) => without(inlink, 'score')),
  ...rest,
});

describe.each([
  ['in strict rounds', 'true', (left: Left): unknown => left],
  ['in overlapping rounds', 'false', withoutOrder],
])('a crawl by one POST /v1/crawls, %s', (_, strict, compared) => {
  let crawl: Job;
  let kills = 0;

  beforeAll(async () => {
    allowed = Infinity;
    crawler = new Crawler(await testDatabase(), { WORKERS: '2' });
    await crawler.start();
    await crawler.configure({ 'crawl.rounds.strict': strict });
  });

  afterAll(async () => {
    await crawler.close();
    await crawler.db.drop();
  });

  it('continues after each kill -9 without a call, and ends (C24)', async () => {
    allowed = 100;
    crawl = await crawler.call<Job>('/v1/crawls', { crawlId: 'k', confId: 'c', seeds, threads: 6 });
    while ((await stateOf(crawl.id)) === 'RUNNING' && kills < KILLS.most) {
      for (const end = Date.now() + 1_000 + Math.random() * 2_000; Date.now() < end && !exhausted(); await pause(20));
      if ((await stateOf(crawl.id)) !== 'RUNNING') break;
      await crawler.kill();
      allowed = ++kills < KILLS.least ? 100 : Infinity;
      await crawler.start();
    }
    const job = await crawler.ended(crawl.id);
    expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK: nothing more is due', result: { reason: 'done' } });
    expect(kills).toBeGreaterThanOrEqual(KILLS.least);
  });

  it('creates each step of each round once', async () => {
    const made = await crawler.db.query<{ round: number; type: string; n: number }>(
      'select round, type, count(*)::int as n from job where parent = $1 group by 1, 2',
      [crawl.id],
    );
    expect(made.filter(({ n }) => n !== 1)).toEqual([]);
    expect(new Set(made.map(({ round }) => round)).size).toBeGreaterThan(2);
    const times = (step: string) => made.filter(({ type }) => type === step).length;
    if (strict === 'false') expect(times('FETCH')).toBeLessThan(times('GENERATE') - 1);
  });

  it('ends with the same rows as an undisturbed crawl', async () => {
    expect(compared(await whatIsLeft(crawler.db))).toEqual(compared(expected));
  });

  it('has counters that match the rows', async () => {
    const { result } = await crawler.job(crawl.id);
    const { bytes_downloaded: _, ...statuses } = result!.counters['FetcherStatus']!;
    const visits = Object.values(statuses).reduce((sum, n) => sum + n, 0);
    expect(visits).toBe(result!.counters['Generator']!['GENERATE_MARK']);
    const [rows] = await crawler.db.query<{ n: number }>('select count(*)::int as n from webpage where status <> 1');
    expect(visits).toBe(rows!.n);
  });
});
