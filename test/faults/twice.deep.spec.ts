import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TaskMessage } from '../../src/job/job-queue.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Hosts, type Left, startHosts, undisturbed, whatIsLeft } from './crawl.js';

/**
 * Each message of a round is delivered twice (fault F15): once before its task is claimed, once during the claim or after it. And two
 * GENERATE of one crawl at the same time (fault F14).
 */

let hosts: Hosts;
let once: Left;
let cycle: Cycle;
beforeAll(async () => {
  hosts = await startHosts({ hosts: 4, pages: 20 });
  const first = await openCycle();
  once = await undisturbed(first, hosts.seeds);
  await first.close();
  cycle = await openCycle();
});
afterAll(async () => {
  await cycle.close();
  await hosts.close();
});

it('a round whose messages are delivered twice ends with the same rows as one with single delivery', async () => {
  const take = cycle.queue.take.bind(cycle.queue);
  const again: TaskMessage[] = [];
  let delivered = 0;
  cycle.queue.take = async () => {
    const message = again.pop();
    if (message) return message;
    const fresh = await take();
    if (fresh) again.push(fresh);
    if (fresh) delivered++;
    return fresh;
  };
  const claims: string[] = [];
  const claim = cycle.tasks.claim.bind(cycle.tasks);
  cycle.tasks.claim = async (message, owner) => {
    const first = await claim(message, owner);
    // The second message arrives during the claim of the first.
    expect(first && (await claim(message, 'another'))).toBeUndefined();
    if (first) claims.push(first.task);
    return first;
  };
  const left = await undisturbed(cycle, hosts.seeds);
  expect(left).toEqual(once);
  expect(claims).toHaveLength(delivered);
  expect(new Set(claims).size).toBe(claims.length);
  expect([...hosts.requests().values()].every((n) => n === 2)).toBe(true);
  expect(await whatIsLeft(cycle.db)).toEqual(left);
});

it('two concurrent GENERATE of a crawl select two batches without a common page', async () => {
  const other = await openCycle();
  await other.inject(hosts.seeds);
  const made = await Promise.all(['x', 'y'].map((batch) => other.run('GENERATE', { batch, topN: 30 })));
  // Each takes the next message, which may be that of the other: both have ended when both calls have.
  const ended = await Promise.all(made.map(({ id }) => other.jobs.find(id)));
  expect(ended.map((job) => job?.result?.['generate.count'])).toEqual([30, 30]);
  const marks = await other.db.query(
    `select generate_mark as batch, count(*)::int as n from webpage where generate_mark is not null group by 1 order by 1`,
  );
  expect(marks).toEqual([
    { batch: 'x', n: 30 },
    { batch: 'y', n: 30 },
  ]);
  await other.close();
});
