import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';
import { AT_GATE, Crawler, Gate, type Hosts, startHosts, until, watch } from './crawl.js';

/**
 * SIGTERM in the middle of each step (fault F16; of FETCH in stop.deep.spec.ts): exit code 0, no failed job, and the next start
 * continues.
 */

const ALL = 6 * 20;

let hosts: Hosts;
let crawler: Crawler;
beforeAll(async () => {
  hosts = await startHosts({ hosts: 6, pages: 20 });
  crawler = new Crawler(await testDatabase());
  await watch(crawler.db);
  await crawler.start();
  await crawler.configure();
});
afterAll(async () => {
  await crawler.close();
  await crawler.db.drop();
  await hosts.close();
});

const steps: [type: string, writes: number, args: () => Record<string, unknown>][] = [
  ['INJECT', 0, () => ({ seed: hosts.seeds.join('\n') })],
  ['GENERATE', 0, () => ({ batch: 'b1' })],
  ['PARSE', 1, () => ({ batch: 'b1' })],
  ['UPDATEDB', 1, () => ({ batch: 'b1' })],
];

describe('SIGTERM', () => {
  it.each(steps)('during %s exits with 0, and the next start completes the job', async (type, writes, args) => {
    if (type === 'PARSE') await crawler.finished('FETCH', { batch: 'b1', threads: 6 });
    const gate = await Gate.writes(crawler.db, writes);
    const { id } = await crawler.create(type, args());
    await until(crawler.db, AT_GATE, 1);
    const stopping = crawler.running.stop();
    await gate.open();
    expect(await stopping).toMatchObject({ code: 0, signal: null });
    const [job] = await crawler.db.query('select state from job where id = $1', [id]);
    expect(['RUNNING', 'FINISHED']).toContain(job!['state']);
    const held = await crawler.db.query(
      `select job, state, lost, writes from job_task where state <> 'DONE' and (state = 'RUNNING' or lost > 0)`,
    );
    expect(held).toEqual([]);
    await crawler.start();
    expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  });

  it('loses no page', async () => {
    const [pages] = await crawler.db.query(
      `select count(*) filter (where status = 2)::int as fetched, count(*) filter (where generate_mark is not null)::int as open from webpage`,
    );
    expect(pages).toEqual({ fetched: ALL, open: 0 });
  });
});
