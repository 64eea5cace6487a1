import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql, transaction } from '../../src/db/sql.js';
import { IN_THIS_DATABASE } from '../support/locks.js';
import { MAX_ATTEMPTS, WebhooksUnderTest } from './webhooks-under-test.js';

/** A sender leases one webhook after the other: none waits until all deliveries of another are sent. */

let hooks: WebhooksUnderTest;
beforeAll(async () => (hooks = await WebhooksUnderTest.open()));
afterAll(() => hooks?.close());
beforeEach(() => hooks.reset());
afterEach(() => hooks.closeSenders());

/** Webhooks in the order of their ids, each with that many pending deliveries. */
async function owed(paths: string[], deliveries: number): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) ids.push((await hooks.hook({ url: `${hooks.url}/${path}` })).id);
  const { id } = await hooks.jobs.create();
  for (let n = 0; n < deliveries; n++) await hooks.warn(id, n);
  return ids;
}

describe('leases of webhooks', () => {
  it('go to the webhook that has waited longest, new ones first', async () => {
    const ids = await owed(['a', 'b', 'c'], 2);
    const taken: string[] = [];
    const next = async (): Promise<void> => {
      const [turn] = await hooks.outbox.claim(1);
      await hooks.outbox.release(turn!);
      taken.push(turn!.webhook);
    };
    for (let n = 0; n < 4; n++) await next();
    const fresh = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    for (let n = 0; n < 2; n++) await next();
    expect(taken).toEqual([...ids, ids[0], fresh.id, ids[1]]);
  });

  it('end after leaseMs although further deliveries are due', async () => {
    const slow = Array.from({ length: 8 }, (_, i) => `slow${i}`);
    const ids = await owed([...slow, 'quick'], 10);
    const turns: string[] = [];
    hooks.answer = async (_, { path }) => {
      const n = slow.findIndex((name) => path.endsWith(name));
      if (n < 0) return 200;
      const [webhook] = await hooks.jobs.db.query<{ turn: string }>('select turn from webhook where id = $1', [ids[n]]);
      turns.push(`${path}: ${webhook!.turn}`);
      await sleep(150);
      return 200;
    };
    await hooks.sendUntil(hooks.sender({ leaseMs: 100 }), hooks.allIn(ids.at(-1)!, 'DELIVERED'));
    // A response takes longer than leaseMs: each delivery of a slow receiver has its own lease.
    expect(turns.length).toBeGreaterThanOrEqual(slow.length);
    expect(turns).toEqual([...new Set(turns)]);
  });
});

describe('a webhook that another sender has claimed', () => {
  const expire = async () => {
    await hooks.jobs.db.query(`update webhook set busy_until = now() - interval '1 second'`);
    await hooks.jobs.db.query(`update webhook_delivery set next_at = now() - interval '1 second'`);
  };
  const failed = { delivered: false, gone: false, status: 500, msg: 'late' };

  it('lets the previous sender neither begin a delivery nor release the lease', async () => {
    await owed(['a'], 2);
    const [before] = await hooks.outbox.claim(1);
    await expire();
    const [now] = await hooks.outbox.claim(1);
    expect(now).toEqual({ ...before, turn: before!.turn + 1 });
    expect(await hooks.outbox.begin(before!)).toBeUndefined();
    expect(await hooks.outbox.begin(now!)).toMatchObject({ attempts: 1 });
    await hooks.outbox.release(before!);
    expect(await hooks.outbox.claim(1)).toEqual([]);
  });

  it.each([
    ['a failure', failed],
    ['a receiver that is gone', { ...failed, gone: true, status: 410 }],
    ['a delivery', { ...failed, delivered: true, status: 200 }],
  ])('is not changed by the late result of the previous sender (%s)', async (_, late) => {
    const [webhook] = await owed(['a'], 1);
    const [before] = await hooks.outbox.claim(1);
    const first = await hooks.outbox.begin(before!);
    await expire();
    const [now] = await hooks.outbox.claim(1);
    const second = await hooks.outbox.begin(now!);
    expect([second!.id, first!.attempts, second!.attempts]).toEqual([first!.id, 1, 2]);
    const state = () =>
      hooks.jobs.db.query(
        `select w.state, failures, d.state as delivery, status, attempts from webhook w join webhook_delivery d on d.webhook = w.id
          where w.id = $1 and d.id = $2`,
        [webhook, first!.id],
      );
    await hooks.outbox.ended(before!, first!, late, { maxAttempts: MAX_ATTEMPTS, chance: 0.5 });
    await hooks.outbox.undo(first!);
    expect(await state()).toEqual([{ state: 'ACTIVE', failures: 0, delivery: 'WAITING', status: null, attempts: 2 }]);
    await hooks.outbox.ended(
      now!,
      second!,
      { delivered: true, gone: false, status: 200, msg: 'OK' },
      { maxAttempts: MAX_ATTEMPTS, chance: 0.5 },
    );
    expect(await state()).toEqual([{ state: 'ACTIVE', failures: 0, delivery: 'DELIVERED', status: 200, attempts: 2 }]);
  });
});

describe('a delivery whose event was deleted', () => {
  it('is dead once a sender finds it, and leads to no further lease', async () => {
    const [id] = await owed(['a'], 3);
    const [, lost] = await hooks.deliveries(id!);
    await hooks.jobs.db.query('delete from job_event where id = $1', [lost!.event]);
    const isOpen = async () => (await hooks.deliveries(id!)).some(({ state }) => state === 'WAITING');
    await hooks.sendUntil(hooks.sender(), async () => !(await isOpen()));
    const ended = await hooks.deliveries(id!);
    expect(ended.map(({ state, attempts, msg }) => [state, attempts, msg])).toEqual([
      ['DELIVERED', 1, 'OK'],
      ['DEAD', 0, 'its event was deleted'],
      ['DELIVERED', 1, 'OK'],
    ]);
    expect(ended[1]!.endedAt).not.toBeNull();
    await hooks.rested();
    expect(await hooks.outbox.claim(1)).toEqual([]);
  });
});

it('the end of an attempt locks the webhook before the delivery, as a sender that begins one does', async () => {
  const [webhook] = await owed(['late'], 1);
  const [lease] = await hooks.outbox.claim(1);
  const out = (await hooks.outbox.begin(lease!))!;
  const attempt = { delivered: true, gone: false, status: 200, msg: 'OK' };
  let ended: Promise<void> | undefined;
  await transaction(hooks.jobs.pool, async (tx) => {
    await tx.query(sql`select from webhook where id = ${webhook} for update`);
    ended = hooks.outbox.ended(lease!, out, attempt, { maxAttempts: 2, chance: 0 });
    const waiting = `select from pg_locks where not granted and ${IN_THIS_DATABASE}`;
    await expect.poll(() => hooks.jobs.db.query(waiting), { timeout: 30_000 }).toHaveLength(1);
    await tx.query(sql`select from webhook_delivery where id = ${out.id} for update nowait`);
  });
  await ended;
  expect((await hooks.deliveries(webhook!)).map(({ state }) => state)).toEqual(['DELIVERED']);
});
