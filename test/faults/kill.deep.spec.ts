import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JobState, mayMove } from '../../src/core/job/job-states.js';
import { openCycle } from '../support/cycle.js';
import { AT_ROW, onCluster, testDatabase } from '../support/database.js';
import {
  ALL_AT_GATE,
  AT_GATE,
  Crawler,
  Gate,
  type Hosts,
  type Job,
  type Left,
  pause,
  startHosts,
  undisturbed,
  until,
  watch,
  whatIsLeft,
} from './crawl.js';

/**
 * kill -9 of the whole server, repeatedly, in each step of a round (faults F1, F2, F3). Each time the next start continues by
 * itself; at the end the table equals that of an undisturbed crawl of the same site.
 */

const HOSTS = 20;
const PAGES = 110;
const ALL = HOSTS * PAGES;
const THREADS = 10;
/** Pages that may be fetched and not yet written: the buffer of the writer and the write in progress (visit-writer.ts). */
const UNFLUSHED = 5 * 64;

/** The site answers so many requests; others wait until it may answer more, so that a kill comes before the end. */
const answers = { allowed: Infinity, given: 0, more: Promise.withResolvers<void>() };

function allowAnswers(n: number): void {
  answers.allowed = n;
  answers.more.resolve();
  answers.more = Promise.withResolvers();
}

async function mayAnswer(): Promise<void> {
  while (answers.given >= answers.allowed) await answers.more.promise;
  answers.given++;
}

let hosts: Hosts;
let crawler: Crawler;
let expected: Left;
let killsOfFetch = 0;
const jobs: Record<string, Job> = {};

beforeAll(async () => {
  hosts = await startHosts({ hosts: HOSTS, pages: PAGES, mayAnswer });
  const cycle = await openCycle();
  expected = await undisturbed(cycle, hosts.seeds);
  await cycle.close();
  const db = await testDatabase();
  await watch(db);
  crawler = new Crawler(db, { WORKERS: '2' });
  await crawler.start();
  await crawler.configure();
  jobs['INJECT'] = await crawler.finished('INJECT', { seed: hosts.seeds.join('\n') });
});

afterAll(async () => {
  await crawler.close();
  await crawler.db.drop();
  await hosts.close();
});

/** Kills the server, opens the gate at which it waited, closes the next one, and starts the server again. */
async function killAndStart<T>(gate?: Gate, next?: () => Promise<T>): Promise<T | undefined> {
  await crawler.kill();
  await gate?.open();
  const shut = await next?.();
  await crawler.start();
  return shut;
}

/**
 * Kills the server when the tasks of the job have done everything but become DONE; then waits for its end.
 * @param gate closed before they started; else it is closed now
 */
async function killBeforeTheEnd(id: string, shut?: Gate): Promise<Job> {
  const gate = shut ?? (await Gate.done(crawler.db));
  await until(crawler.db, ALL_AT_GATE, 1);
  await killAndStart(gate);
  return crawler.ended(id);
}

const pagesWith = (condition: string) => `select count(*) as n from webpage where ${condition}`;
const count = async (condition: string): Promise<number> =>
  Number((await crawler.db.query<{ n: string }>(pagesWith(condition)))[0]!.n);

/** Requests so far whose pages were not written, by all killed servers. */
const unwritten = async (): Promise<number> => {
  const requests = [...hosts.requests().values()].reduce((sum, n) => sum + n, 0);
  // The undisturbed crawl has requested each page once, too.
  return requests - ALL - (await count('fetch_mark is not null'));
};

describe('kill -9 of the whole server', () => {
  it('during GENERATE and before its end leaves one complete batch of topN pages', async () => {
    const topN = ALL - 100;
    const page = await Gate.page(crawler.db, `rank is not null and key like '%/p77'`);
    const { id } = await crawler.create('GENERATE', { topN, batch: 'b1' });
    await until(crawler.db, AT_ROW, 1);
    const marked = await killAndStart(page, () => Gate.writes(crawler.db, 1));
    expect(await count('generate_mark is not null')).toBe(0);
    await until(crawler.db, AT_GATE, 1);
    await killAndStart(marked);
    expect(await count('generate_mark is not null')).toBe(0);
    const job = await killBeforeTheEnd(id);
    expect(job).toMatchObject({
      state: 'FINISHED',
      msg: 'OK',
      result: { result: '0', 'generate.batch.id': 'b1', 'generate.count': topN },
    });
    expect(job.result!.counters['Generator']!['GENERATE_MARK']).toBe(topN);
    expect(await count(`generate_mark = 'b1'`)).toBe(topN);
    expect(await count('generate_mark is not null and rank is not null')).toBe(0);
    // The rest is added to the batch, so that the round processes all pages.
    const rest = await crawler.finished('GENERATE', { batch: 'b1' });
    expect(rest.result).toMatchObject({ 'generate.count': ALL - topN });
    expect(await count(`generate_mark = 'b1'`)).toBe(ALL);
  });

  it('during FETCH leaves each page with one final status and one visit, and few are requested twice', async () => {
    answers.given = 0;
    allowAnswers(ALL / 2);
    const { id } = await crawler.create('FETCH', { batch: 'b1', threads: THREADS });
    let lost: number | undefined;
    let end: Gate | undefined;
    for (const part of [0.2, 0.6]) {
      const fetched = await until(crawler.db, pagesWith('fetch_mark is not null'), Math.floor(ALL * part));
      await pause(Math.random() * 30);
      expect(fetched).toBeLessThan(ALL);
      // The remaining pages may be fetched in less time than a start takes.
      end = await killAndStart(undefined, async () => {
        lost = await unwritten();
        allowAnswers(part === 0.6 ? Infinity : ALL * 0.95);
        return part === 0.6 ? Gate.done(crawler.db) : undefined;
      });
      killsOfFetch++;
    }
    const job = await killBeforeTheEnd(id, end);
    killsOfFetch++;
    expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK', result: { result: '0', reason: 'done' } });
    expect(await count(`status = 2 and fetch_mark = 'b1' and parse_mark is null`)).toBe(ALL);
    const { bytes_downloaded: _, ...statuses } = job.result!.counters['FetcherStatus']!;
    expect(statuses).toEqual({ SUCCESS: ALL });

    const requests = hosts.requests();
    expect([...requests.keys()].sort()).toEqual([...hosts.seeds].sort());
    const again = [...requests.values()].reduce((sum, n) => sum + n - 2, 0);
    expect([...requests.values()].every((n) => n >= 2)).toBe(true);
    // Only pages that a killed server had requested and not written; a request may have come just after that count.
    expect(again).toBeLessThanOrEqual(lost! + killsOfFetch * THREADS);
    // On a cluster a write takes longer, and more pages are buffered meanwhile.
    if (!onCluster) expect(again).toBeLessThanOrEqual(killsOfFetch * (THREADS + UNFLUSHED));
    const [visits] = await crawler.db.query(
      'select count(*)::int as all, count(distinct key)::int as keys from fetch_history',
    );
    expect(visits).toEqual({ all: ALL, keys: ALL });
  });

  it('during PARSE parses and counts each page once', async () => {
    const gate = await Gate.writes(crawler.db, 9);
    const { id } = await crawler.create('PARSE', { batch: 'b1' });
    await until(crawler.db, AT_GATE, 1);
    const end = await killAndStart(gate, async () => {
      expect(await count('parse_mark is not null')).toBeGreaterThan(0);
      expect(await count('parse_mark is not null')).toBeLessThan(ALL);
      return Gate.done(crawler.db);
    });
    const job = await killBeforeTheEnd(id, end);
    expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK', result: { reason: 'done' } });
    expect(job.result!.counters['ParserStatus']).toEqual({ success: ALL });
    expect(await count(`parse_mark = 'b1' and signature is not null`)).toBe(ALL);
  });

  it('during UPDATEDB distributes the cash of each page once', async () => {
    const plan = await Gate.writes(crawler.db, 1);
    const { id } = await crawler.create('UPDATEDB', { batch: 'b1' });
    await until(crawler.db, AT_GATE, 1);
    const second = await killAndStart(plan, () => Gate.writes(crawler.db, 1));
    expect(await count('update_mark is not null')).toBe(0);
    // One of the two tasks has written its pages, the other one has not.
    await until(crawler.db, pagesWith('update_mark is not null'), 1);
    await until(crawler.db, AT_GATE, 1);
    await killAndStart(second);
    expect(await count('update_mark is not null')).toBeGreaterThan(0);
    expect(await count('generate_mark is not null')).toBeGreaterThan(0);
    const job = await killBeforeTheEnd(id);
    expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK', result: { reason: 'done' } });
    expect(job.result!.counters['UpdateDb']).toMatchObject({ db_fetched: ALL, urls_added: await count('status = 1') });
  });

  it('leaves the same rows as an undisturbed crawl: pages, marks, scores, inlinks, outlinks, counts', async () => {
    const left = await whatIsLeft(crawler.db);
    expect(left).toEqual(expected);
    expect(left.pages.every(({ closed, spend }) => closed && spend === null)).toBe(true);
  });

  it('before a second UPDATEDB of the batch, which changes nothing', async () => {
    const before = await crawler.db.query('select * from webpage order by key');
    const job = await crawler.finished('UPDATEDB', { batch: 'b1' });
    expect(job.result).toMatchObject({ result: '1', reason: 'no-urls' });
    expect(await crawler.db.query('select * from webpage order by key')).toEqual(before);
  });

  it('moves jobs between states by allowed transitions only', async () => {
    const moves = await crawler.db.query<{ state_before: JobState; state_after: JobState }>('select * from moves');
    expect(moves.filter((move) => !mayMove(move.state_before, move.state_after))).toEqual([]);
    expect(moves.length).toBeGreaterThan(10);
  });
});
