import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueueLeases } from '../../src/politeness/queue-leases.js';
import { type Sql, transaction } from '../../src/db/sql.js';
import { freeLost } from '../../src/job/task-moves.sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { DELAY, expectRest, later, now, waits } from './leases-under-test.js';

/** The delay of a host applies across tasks, jobs and machines: one task at a time has the lease of its queue. */

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const leases = (owner: string) => new QueueLeases({ db: db.pool, once: db.pool, owner, delayMs: DELAY });
/** Changes the table as if that many seconds had passed. */
const pass = (seconds: number) =>
  db.query(
    `update politeness set lease_until = lease_until - make_interval(secs => $1), next_at = next_at - make_interval(secs => $1),
            blocked_until = blocked_until - make_interval(secs => $1)`,
    [seconds],
  );
/** The id of a running task with its first token. */
async function runningTask(job: string): Promise<string> {
  await db.query(`insert into conf_snapshot values ('none', '{}') on conflict do nothing`);
  await db.query(
    `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args)
     values ($1, nextval('job_number'), 1, 'c', 'c', 'none', 'FETCH', '{}')`,
    [job],
  );
  const [task] = await db.query<{ id: string }>(
    `insert into job_task (job, part, state, token, owner, claimed_at, lease_until)
     values ($1, 0, 'RUNNING', 1, 'worker', now(), now() + interval '1 minute') returning id`,
    [job],
  );
  return task!.id;
}

describe('a queue lease', () => {
  it('belongs to one task at a time', async () => {
    const [first, second] = [leases('first'), leases('second')];
    expect(await waits(first, 'a', 'b')).toEqual({ a: 0, b: 0 });
    expect(await waits(second, 'b', 'c')).toEqual({ c: 0 });
    expect([first.hasLease('b'), second.hasLease('b'), second.hasLease('c')]).toEqual([true, false, true]);
    await Promise.all([first.releaseAll(now()), second.releaseAll(now())]);
  });

  it('that another task has is requested at growing intervals, until it was obtained', async () => {
    const [first, second] = [leases('first'), leases('second')];
    await waits(first, 'often');
    const after: number[] = [];
    for (let time = 1; time <= 4; time++) {
      await waits(second, 'often');
      after.push(second.againMs('often'));
    }
    expect(after).toEqual([1_000, 2_000, 4_000, 4_000]);
    await first.releaseAll(now());
    await waits(second, 'often');
    expect(second.againMs('often')).toBe(1_000);
    await second.releaseAll(now());
  });

  it('passes the rest of the delay on to the next task', async () => {
    const [first, second] = [leases('first'), leases('second')];
    await first.lease(['d']);
    first.enqueued('d');
    const from = now();
    first.ended('d', from);
    await first.releaseAll(now());
    expectRest((await waits(second, 'd'))['d']!, DELAY, from);
    await second.releaseAll(now());
    expectRest((await waits(first, 'd'))['d']!, DELAY, from);
  });

  it('keeps a block when a task releases it without a request', async () => {
    const [first, second, third] = [leases('first'), leases('second'), leases('third')];
    await first.lease(['k']);
    await first.block('k', now() + 100_000, now());
    await first.releaseAll(now());
    await second.lease(['k']);
    await second.releaseAll(now());
    expect(Math.abs((await waits(third, 'k'))['k']! - 100_000)).toBeLessThan(5_000);
  });

  it('has at most one delay left from a block that was lifted', async () => {
    const [first, second] = [leases('first'), leases('second')];
    await first.lease(['l']);
    await first.block('l', now() + 100_000, now());
    const from = now();
    first.lift('l', from);
    await first.releaseAll(now());
    expectRest((await waits(second, 'l'))['l']!, DELAY, from);
  });

  it('keeps the rest of the delay of another task when a block is lifted', async () => {
    const [first, second] = [leases('first'), leases('second')];
    await first.lease(['m']);
    first.enqueued('m');
    const from = now();
    first.ended('m', from);
    await first.releaseAll(now());
    await second.lease(['m']);
    second.lift('m', now());
    expectRest(second.remainingDelay('m', now()), DELAY, from);
    await second.releaseAll(now());
  });

  it('has no delay when no request was sent', async () => {
    const [first, second] = [leases('first'), leases('second')];
    await first.lease(['e']);
    first.enqueued('e');
    first.ended('e', now(), { release: true });
    await first.releaseAll(now());
    expect((await waits(second, 'e'))['e']!).toBe(0);
  });

  it('of a task that died is free when it has expired, and is used after a full delay', async () => {
    const from = now();
    await leases('dead').lease(['f', 'rested']);
    const next = leases('next');
    expect(await waits(next, 'f')).toEqual({});
    await pass(31);
    expectRest((await waits(next, 'f'))['f']!, DELAY - 1_000, from);
    await pass(5);
    expect((await waits(next, 'rested'))['rested']!).toBe(0);
    await leases('dead').lease(['g']);
    const again = (await waits(leases('dead'), 'g'))['g']!;
    expect(again).toBeGreaterThan(DELAY - 1_000);
  });

  it('of a task that died is not used before the delay has passed, however long it is', async () => {
    const slow = (owner: string) => new QueueLeases({ db: db.pool, once: db.pool, owner, delayMs: 60_000 });
    await slow('dead').lease(['slow']);
    await pass(31);
    // Its last request may have ended as late as its lease.
    const { waitMs } = (await slow('next').lease(['slow'])).get('slow')!;
    expect(Math.abs(waitMs - 59_000)).toBeLessThan(5_000);
  });

  it.each([
    ['whose lease has expired', 60_000, () => pass(31), 59_000],
    [
      'whose worker is known to have died',
      20_000,
      (id: string) => db.query('update job_task set token = 2 where id = $1', [id]),
      20_000,
    ],
  ])('of an attempt %s waits for the delay of its queue, not for the default delay', async (how, delay, die, rest) => {
    const task = await runningTask(how);
    const begun = performance.now();
    const dead = leases(`task ${task}#1`);
    await dead.lease([how]);
    dead.setDelay(how, delay);
    await dead.writeDelay(how);
    await die(task);
    const wait = (await waits(leases(`task ${task}#2`), how))[how]!;
    expect(Math.abs(wait - rest)).toBeLessThan(2_000 + (performance.now() - begun));
    await db.query('update job_task set token = 3 where id = $1', [task]);
    const later = (await waits(leases(`task ${task}#3`), how))[how]!;
    expect(later).toBeGreaterThan(wait - 2_000 - (performance.now() - begun));
  });

  it('stores any delay that a robots.txt may set', async () => {
    const task = leases('patient');
    await task.lease(['o']);
    task.setDelay('o', 1e15);
    await task.writeDelay('o');
    await pass(31);
    expect((await waits(leases('next'), 'o'))['o']!).toBeGreaterThan(1e9);
  });

  it('goes to a later attempt of the same task at once, and the earlier attempt cannot change it any more', async () => {
    const task = await runningTask('again');
    const stale = leases(`task ${task}#1`);
    await stale.lease(['j']);
    await db.query(`update job_task set token = 3 where id = $1`, [task]);
    const next = leases(`task ${task}#3`);
    expect((await waits(next, 'j'))['j']!).toBeGreaterThan(DELAY - 1_000);
    expect(await waits(stale, 'j')).toEqual({});
    const before = await db.query(`select * from politeness where queue_id = 'j'`);
    await stale.block('j', now() + 100_000, now());
    await stale.releaseAll(now());
    expect(await db.query(`select * from politeness where queue_id = 'j'`)).toEqual(before);
    expect(await waits(leases(`task ${task}0#7`), 'j')).toEqual({});
  });

  it('that was released is kept for the attempt that waited first, until that has ended', async () => {
    const task = await runningTask('waits first');
    const [holder, first, other] = [leases('holder'), leases(`task ${task}#1`), leases('task 999999#1')];
    await holder.lease(['kept']);
    expect(await waits(first, 'kept')).toEqual({});
    await holder.releaseAll(now());
    expect(await waits(other, 'kept')).toEqual({});
    await db.query(`update job_task set state = 'WAITING', token = 2, lease_until = null where id = $1`, [task]);
    expect(Object.keys(await waits(other, 'kept'))).toEqual(['kept']);
  });

  it.each([
    ['was released', `state = 'WAITING', token = 2, lease_until = null`],
    ['has ended', `state = 'DONE', lease_until = null, outcome = '{}'`],
  ])('of an attempt that %s goes to any other task at once, after a full delay', async (how, change) => {
    const task = await runningTask(how);
    await leases(`task ${task}#1`).lease([how]);
    const other = leases('task 999999#1');
    expect(await waits(other, how)).toEqual({});
    await db.query(`update job_task set ${change} where id = $1`, [task]);
    expect((await waits(other, how))[how]!).toBeGreaterThan(DELAY - 1_000);
    expect(await waits(leases(`task ${task}#1`), how)).toEqual({});
  });

  describe('of an attempt whose task was reassigned', () => {
    /** The task of a worker without heartbeats is freed by one that may know that the worker has died. */
    async function freed(job: string, died: boolean): Promise<{ silent: QueueLeases; next: QueueLeases }> {
      const task = await runningTask(job);
      const silent = leases(`task ${task}#1`);
      await silent.lease([job]);
      await db.query(`update job_task set owner = $2, lease_until = now() - interval '1 second' where id = $1`, [
        task,
        job,
      ]);
      await transaction(db.pool, (tx) => freeLost(tx, { owners: died ? [job] : [] }));
      await db.query(
        `update job_task set state = 'RUNNING', token = 3, lease_until = now() + interval '1 minute' where id = $1`,
        [task],
      );
      return { silent, next: leases(`task ${task}#3`) };
    }

    it('is free at once when its worker is known to have died', async () => {
      const { next } = await freed('dead worker', true);
      expect((await waits(next, 'dead worker'))['dead worker']!).toBeGreaterThan(DELAY - 1_000);
    });

    it('lasts until it expires when its worker was only silent, perhaps cut off from the database', async () => {
      const { next } = await freed('silent worker', false);
      expect(await waits(next, 'silent worker')).toEqual({});
      await pass(31);
      expect(Object.keys(await waits(next, 'silent worker'))).toEqual(['silent worker']);
    });

    it('is free, with its delay, when the silent attempt releases it', async () => {
      const { silent, next } = await freed('noted', false);
      silent.enqueued('noted');
      const from = now();
      silent.ended('noted', from);
      expect(await waits(next, 'noted')).toEqual({});
      await silent.releaseAll(now());
      expectRest((await waits(next, 'noted'))['noted']!, DELAY, from);
    });
  });

  it('is renewed while pages wait, and released when none do', async () => {
    const [task, other] = [leases('task'), leases('other')];
    await task.lease(['busy', 'idle']);
    task.enqueued('busy');
    expect(await task.maintain(now())).toEqual([]);
    expect(task.hasLease('idle')).toBe(true);
    expect(await task.maintain(later())).toEqual([]);
    expect([task.hasLease('busy'), task.hasLease('idle')]).toEqual([true, false]);
    expect([...(await other.lease(['busy', 'idle'])).keys()]).toEqual(['idle']);
  });

  it('that was lost is reported, and its pages still count when it is obtained again', async () => {
    const [task, thief] = [leases('task'), leases('thief')];
    await task.lease(['h']);
    task.enqueued('h');
    await pass(31);
    await thief.lease(['h']);
    expect(await task.maintain(later())).toEqual(['h']);
    expect(task.hasLease('h')).toBe(false);
    await thief.releaseAll(now());
    expect((await task.lease(['h'])).has('h')).toBe(true);
    expect(await task.maintain(later() + 60_000)).toEqual([]);
    expect(task.hasLease('h')).toBe(true);
  });

  it('that is blocked stays blocked for later tasks, also when its task dies', async () => {
    const [task, other] = [leases('blocker'), leases('other')];
    await task.lease(['i']);
    await task.block('i', now() + 100_000, now());
    await pass(31);
    const { waitMs, blockedMs } = (await other.lease(['i'])).get('i')!;
    for (const ms of [waitMs, blockedMs]) expect(Math.abs(ms - 69_000)).toBeLessThan(10_000);
  });

  it('that was not renewed for half of its time is no longer used', async () => {
    const task = leases('silent');
    await task.lease(['m']);
    task.enqueued('m');
    expect([task.hasLease('m', now() + 14_000), task.hasLease('m', now() + 16_000)]).toEqual([true, false]);
    const at = now() + 14_000;
    expect(await task.maintain(at)).toEqual([]);
    expect([task.hasLease('m', at + 14_000), task.hasLease('m', at + 16_000)]).toEqual([true, false]);
  });

  it('that is leased again while it is released stays with its task', async () => {
    let release: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (release = resolve));
    const slow: Sql = { query: (statement) => late.then(() => db.pool.query(statement)) };
    const task = new QueueLeases({ db: db.pool, once: slow, owner: 'hasty', delayMs: DELAY });
    await task.lease(['n']);
    const maintained = task.maintain(later());
    const leased = task.lease(['n']);
    await sleep(100);
    release();
    await Promise.all([maintained, leased]);
    expect(task.hasLease('n')).toBe(true);
    expect(await waits(leases('other'), 'n')).toEqual({});
  });

  it('that is being leased again is not released', async () => {
    let answer: () => void = () => undefined;
    let late: Promise<void> = Promise.resolve();
    const slow: Sql = { query: (statement) => db.pool.query(statement).then((rows) => late.then(() => rows)) };
    const task = new QueueLeases({ db: slow, once: db.pool, owner: 'slow', delayMs: DELAY });
    await task.lease(['o']);
    late = new Promise<void>((resolve) => (answer = resolve));
    const leased = task.lease(['o']);
    await sleep(100);
    const maintained = task.maintain(later());
    await sleep(100);
    answer();
    await Promise.all([maintained, leased]);
    expect(task.hasLease('o')).toBe(true);
    expect(await waits(leases('other'), 'o')).toEqual({});
  });

  it('that cannot be released is free when it has expired', async () => {
    const away: Sql = { query: () => Promise.reject(new Error('away')) };
    const task = new QueueLeases({ db: db.pool, once: away, owner: 'cut', delayMs: DELAY });
    await task.lease(['p']);
    expect(await task.maintain(later())).toEqual([]);
    await task.releaseAll(now());
    await pass(31);
    expect(Object.keys(await waits(leases('other'), 'p'))).toEqual(['p']);
  });
});
