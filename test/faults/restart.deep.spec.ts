import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCycle } from '../support/cycle.js';
import {
  AT_GATE,
  Crawler,
  Gate,
  type Hosts,
  type Left,
  startHosts,
  undisturbed,
  until,
  watch,
  whatIsLeft,
} from './crawl.js';
import { type Ending, OwnPostgres } from './own-postgres.js';

/**
 * PostgreSQL is shut down during each step, by an operator or as a crash, and started again (fault F6): the processes
 * stay alive, requests get 503 with Retry-After, the step continues by itself, and the table is that of an undisturbed crawl.
 * OUTAGE_SECONDS makes the outage longer.
 */

const OUTAGE_MS = Number(process.env['OUTAGE_SECONDS'] ?? 0) * 1_000;
const ALL = 8 * 25;

let hosts: Hosts;
let own: OwnPostgres;
let crawler: Crawler<OwnPostgres>;
let expected: Left;
beforeAll(async () => {
  hosts = await startHosts({ hosts: 8, pages: 25, pauseMs: 5 });
  const cycle = await openCycle();
  expected = await undisturbed(cycle, hosts.seeds);
  await cycle.close();
  own = await OwnPostgres.make();
  crawler = new Crawler(own);
  await crawler.start();
  await watch(own);
  await crawler.configure();
});
afterAll(async () => {
  await crawler?.close();
  await own?.close();
  await hosts?.close();
});

const steps: [type: string, how: Ending, writes: number, args: () => Record<string, unknown>][] = [
  ['INJECT', 'fast', 0, () => ({ seed: hosts.seeds.join('\n') })],
  ['GENERATE', 'immediate', 0, () => ({ batch: 'b1' })],
  ['FETCH', 'fast', 2, () => ({ batch: 'b1', threads: 8 })],
  ['PARSE', 'immediate', 1, () => ({ batch: 'b1' })],
  ['UPDATEDB', 'fast', 1, () => ({ batch: 'b1' })],
];

describe('PostgreSQL is shut down and started again', () => {
  it.each(steps)(
    'the server responds 503 meanwhile and then completes %s (%s)',
    async (type, how, writes, args) => {
      await Gate.writes(own, writes);
      const { id } = await crawler.create(type, args());
      await until(own, AT_GATE, 1);
      // The shutdown ends the session that kept the gate closed.
      await own.end(how);
      await expectDegraded(id);
      await sleep(OUTAGE_MS);
      await own.start();
      await until(own, `select count(*) as n from job where id = '${id}' and ended_at is not null`, 1);
      await expect.poll(async () => (await fetch(`${crawler.running.url}/health/ready`)).status).toBe(200);
      expect(await crawler.job(id)).toMatchObject({ state: 'FINISHED', msg: 'OK' });
    },
    600_000 + OUTAGE_MS,
  );

  it('no process was restarted', () => {
    expect(crawler.running.output()).not.toMatch(/another one starts/);
  });

  it('the rows are those of an undisturbed crawl', async () => {
    const left = await whatIsLeft(own);
    expect(left.pages.length).toBeGreaterThan(ALL);
    expect(left).toEqual(expected);
  });
});

/** The process is alive and not ready, and sends 503 with Retry-After. */
async function expectDegraded(id: string): Promise<void> {
  const { url } = crawler.running;
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  for (const path of ['/health/ready', `/job/${id}`]) {
    const answer = await fetch(url + path);
    expect([path, answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([path, 503, true]);
  }
}
