import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import request from 'supertest';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purgeDeliveries } from '../../src/job/webhook.store.js';
import { transaction } from '../../src/db/sql.js';
import { eventsOf, logEvent } from '../../src/job/job-event.store.js';
import { signatureOf } from '../../src/job/webhook-signature.js';
import { apiUnderTest } from '../api/api-under-test.js';
import { MAX_ATTEMPTS, WebhooksUnderTest, secret } from './webhooks-under-test.js';

let hooks: WebhooksUnderTest;
beforeAll(async () => (hooks = await WebhooksUnderTest.open()));
afterAll(() => hooks?.close());
beforeEach(() => hooks.reset());
afterEach(() => hooks.closeSenders());

describe('a webhook delivery', () => {
  it('is stored with its event, and not after a rollback', async () => {
    const { id } = await hooks.hook();
    const job = await hooks.jobs.create();
    await expect(
      transaction(hooks.jobs.pool, async (tx) => {
        await logEvent(tx, job.id, 'warning', {});
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await transaction(hooks.jobs.pool, (tx) => logEvent(tx, job.id, 'warning', { n: 1 }));
    const events = await eventsOf(hooks.jobs.pool, job.id);
    expect((await hooks.deliveries(id)).map(({ event, state, attempts }) => [event, state, attempts])).toEqual([
      [events[1]?.id, 'WAITING', 0],
    ]);
  });

  it('is stored for the events and the crawl that the webhook names', async () => {
    const [all, ofCrawl, ofDefault] = [
      await hooks.hook({ events: ['warning', 'progress'] }),
      await hooks.hook({ crawlId: 'w1' }),
      await hooks.hook({ crawlId: '' }),
    ];
    const [one, two, three] = [
      await hooks.jobs.create({ crawlId: 'w1' }),
      await hooks.jobs.create({ crawlId: 'w2' }),
      await hooks.jobs.create({ crawlId: '' }),
    ];
    await transaction(hooks.jobs.pool, async (tx) => {
      for (const job of [one, two, three]) {
        await logEvent(tx, job.id, 'warning', {});
        await logEvent(tx, job.id, 'progress', {});
        await logEvent(tx, job.id, 'task', {});
      }
    });
    const counts = [all, ofCrawl, ofDefault].map(async ({ id }) => (await hooks.deliveries(id)).length);
    expect(await Promise.all(counts)).toEqual([6, 1, 1]);
  });

  it('contains the event, the current state of the job, and a signature', async () => {
    const { id } = await hooks.hook({ events: ['state'] });
    const job = await hooks.jobs.create({ crawlId: 'signed' });
    await transaction(hooks.jobs.pool, (tx) => hooks.jobs.jobs.move(tx, job.id, 'RUNNING', { msg: 'OK' }));
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
    const events = await eventsOf(hooks.jobs.pool, job.id);
    const [delivery] = await hooks.deliveries(id);
    const [first, second] = hooks.received;
    expect(hooks.received).toHaveLength(2);
    expect(first?.body).toEqual({
      id: events[0]?.id,
      type: 'state',
      time: events[0]?.time.toISOString(),
      jobId: job.id,
      crawlId: 'signed',
      data: { state: 'IDLE' },
      job: {
        id: job.id,
        type: 'FETCH',
        crawlId: 'signed',
        confId: 'c',
        args: {},
        state: 'RUNNING',
        msg: 'OK',
        result: null,
        parent: null,
        round: null,
        paused: false,
        createdAt: job.createdAt.toISOString(),
        startedAt: (await hooks.jobs.job(job.id)).startedAt?.toISOString(),
        endedAt: null,
      },
    });
    expect(second?.body.data).toEqual({ state: 'RUNNING', msg: 'OK' });
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'orbweaver-event-id': events[0]?.id,
      'orbweaver-delivery': delivery?.id,
    });
    const seconds = Number(first?.headers['orbweaver-timestamp']);
    expect(first?.headers['orbweaver-signature']).toBe(signatureOf(secret, seconds, first?.text ?? ''));
    expect(delivery).toMatchObject({ state: 'DELIVERED', attempts: 1, status: 200, msg: 'OK', nextAt: null });
  });

  it.each(['running', 'paused', 'killed while it was paused'])(
    'contains a job that is %s as GET /job returns it',
    async (how) => {
      const { id } = await hooks.hook();
      const [parent, job] = [
        await hooks.jobs.create({ crawlId: 'seen' }),
        await hooks.jobs.create({ crawlId: 'seen' }),
      ];
      await hooks.jobs.db.query('update job set parent = $1, round = 2 where id = $2', [parent.id, job.id]);
      await transaction(hooks.jobs.pool, (tx) => hooks.jobs.jobs.move(tx, job.id, 'RUNNING', { msg: 'OK: fetching' }));
      if (how !== 'running') await hooks.jobs.jobs.pause(job.id);
      if (how.startsWith('killed')) await hooks.jobs.jobs.requestAbort(job.id);
      await hooks.warn(job.id, 1);
      await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
      const api = await apiUnderTest({}, hooks.jobs.db);
      const { body } = await request(api.url).get('/job?crawlId=seen');
      await api.close();
      const listed = (body as { id: string }[]).find((one) => one.id === job.id)!;
      const sent = hooks.received[0]!.body.job!;
      expect(Object.keys(sent).toSorted()).toEqual(Object.keys(listed).toSorted());
      expect(sent).toEqual(listed);
      expect(sent).toMatchObject({ round: 2, paused: how === 'paused' });
    },
  );

  it('of a deleted job contains job null', async () => {
    const { id } = await hooks.hook();
    const job = await hooks.jobs.create();
    await hooks.warn(job.id, 1);
    await hooks.jobs.db.query('delete from job where id = $1', [job.id]);
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
    expect(hooks.received[0]?.body).toMatchObject({ jobId: job.id, crawlId: null, job: null });
  });
});

describe('the order of deliveries', () => {
  it('is that of the events, with several senders', async () => {
    const { id } = await hooks.hook();
    const job = await hooks.jobs.create();
    const crew = [hooks.sender(), hooks.sender(), hooks.sender()];
    for (let n = 0; n < 60; n++) {
      await hooks.warn(job.id, n);
      crew.forEach((one) => one.wake());
    }
    await hooks.sendUntil(crew[0]!, hooks.allIn(id, 'DELIVERED'));
    expect(hooks.received.map(({ body }) => body.data['n'])).toEqual(Array.from({ length: 60 }, (_, n) => n));
  });

  it('is not kept for a failed delivery: later ones are sent first', async () => {
    const { id } = await hooks.hook();
    const job = await hooks.jobs.create();
    for (let n = 0; n < 4; n++) await hooks.warn(job.id, n);
    hooks.answer = (_, { body }) => (body.data['n'] === 1 && hooks.received.length < 3 ? 500 : 200);
    const one = hooks.sender();
    await hooks.sendUntil(
      one,
      async () => (await hooks.deliveries(id)).filter(({ state }) => state === 'DELIVERED').length === 3,
    );
    await hooks.later();
    await hooks.sendUntil(one, hooks.allIn(id, 'DELIVERED'));
    expect(hooks.received.map(({ body }) => body.data['n'])).toEqual([0, 1, 2, 3, 1]);
  });
});

describe('a failed attempt of a webhook delivery', () => {
  it.each([
    ['with 500', 500, 'answered 500'],
    ['with a redirect', 302, 'answered 302; redirects are not followed'],
    ['with 404', 404, 'answered 404'],
    ['with a connection reset', 'reset', 'no connection: ECONNRESET'],
  ] as const)('%s is followed by another within 12 s', async (_, status, msg) => {
    const { id } = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    hooks.answer = () => status;
    await hooks.attempted(id, hooks.sender());
    const [delivery] = await hooks.deliveries(id);
    expect(delivery).toMatchObject({ state: 'WAITING', attempts: 1, msg, status: status === 'reset' ? null : status });
    expect(hooks.received).toHaveLength(1);
    const [{ s }] = (await hooks.jobs.db.query<{ s: number }>(
      'select extract(epoch from next_at - now())::float8 as s from webhook_delivery',
    )) as [{ s: number }];
    expect(s).toBeGreaterThan(0);
    expect(s).toBeLessThanOrEqual(12);
  });

  it.each([MAX_ATTEMPTS, 2])(
    'makes the delivery DEAD after %s attempts (webhook.attempts.max)',
    async (maxAttempts) => {
      const { id } = await hooks.hook();
      await hooks.warn((await hooks.jobs.create()).id, 1);
      hooks.answer = () => 503;
      const one = hooks.sender({ maxAttempts });
      await hooks.sendUntil(one, async () => {
        await hooks.later();
        await hooks.rested();
        return (await hooks.deliveries(id))[0]!.state === 'DEAD';
      });
      expect(hooks.received).toHaveLength(maxAttempts);
      expect(new Set(hooks.received.map(({ headers }) => headers['orbweaver-delivery'])).size).toBe(1);
      expect((await hooks.deliveries(id))[0]).toMatchObject({
        attempts: maxAttempts,
        status: 503,
        msg: 'answered 503',
      });
    },
  );

  it('pauses the webhook after five failures in a row', async () => {
    const { id } = await hooks.hook();
    const job = await hooks.jobs.create();
    for (let n = 0; n < 8; n++) await hooks.warn(job.id, n);
    hooks.answer = () => 500;
    const one = hooks.sender();
    await hooks.sendUntil(one, () => hooks.received.length === 5);
    while (
      !(
        await hooks.jobs.db.query(
          'select from webhook where busy_until > now() and busy_until < now() + $1::interval',
          ['15 s'],
        )
      ).length
    )
      await sleep(5);
    one.wake();
    await sleep(300);
    expect(hooks.received).toHaveLength(5);
    hooks.answer = () => 200;
    await hooks.rested();
    await hooks.sendUntil(one, () => hooks.received.length === 8);
    await hooks.sendUntil(
      one,
      async () => (await hooks.jobs.db.query('select from webhook where id = $1 and failures = 0', [id])).length === 1,
    );
  });

  it('shows in the msg of the webhook, until a delivery arrives', async () => {
    const { id, msg } = await hooks.hook();
    expect(msg).toBe('OK');
    const job = await hooks.jobs.create();
    for (let n = 0; n < 3; n++) await hooks.warn(job.id, n);
    const said = async () => (await hooks.store.find(id))!.msg;
    hooks.answer = () => 500;
    const one = hooks.sender();
    await hooks.sendUntil(one, async () => (await said()) !== 'OK' && hooks.received.length === 3);
    await expect.poll(said).toBe('failed attempts in a row: 3; the last: answered 500');
    expect(await hooks.store.find(id)).toMatchObject({ state: 'ACTIVE' });
    hooks.answer = () => 200;
    await hooks.later();
    await hooks.sendUntil(one, async () => (await said()) === 'OK');
  });

  it('with 410 sets the webhook to OFF', async () => {
    const { id } = await hooks.hook();
    const job = await hooks.jobs.create();
    for (let n = 0; n < 3; n++) await hooks.warn(job.id, n);
    hooks.answer = () => 410;
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DEAD'));
    await hooks.warn(job.id, 3);
    expect(hooks.received).toHaveLength(1);
    expect(await hooks.store.find(id)).toMatchObject({
      state: 'OFF',
      msg: 'the receiver answered 410: it is gone for good',
    });
    expect(await hooks.deliveries(id)).toHaveLength(3);
  });

  it('is logged with the reason, without secret or address', async () => {
    const { id } = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    hooks.answer = () => 500;
    await hooks.attempted(id, hooks.sender());
    expect(hooks.logged).toContain('answered 500');
    expect(hooks.logged).not.toContain(secret);
    expect(hooks.logged).not.toContain('127.0.0.1');
  });
});

describe('a webhook sender', () => {
  it('that was killed is replaced by another after its lease, and its late result is ignored', async () => {
    const { id } = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    const [turn] = await hooks.outbox.claim(10);
    expect((await hooks.outbox.begin(turn!))?.attempts).toBe(1);
    expect(await hooks.outbox.claim(10)).toEqual([]);
    await hooks.jobs.db.query(`update webhook set busy_until = now() - interval '1 second'`);
    await hooks.later();
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
    expect(hooks.received).toHaveLength(1);
    // A late result of the dead sender has no effect.
    expect(await hooks.outbox.begin(turn!)).toBeUndefined();
    const late = { delivered: false, gone: true, status: 410, msg: 'late' };
    await hooks.outbox.ended(
      turn!,
      { id: hooks.received[0]!.headers['orbweaver-delivery'] as string, attempts: 1 } as never,
      late,
      { maxAttempts: MAX_ATTEMPTS, chance: 0 },
    );
    expect((await hooks.store.find(id))?.state).toBe('ACTIVE');
  });

  it('delivers to other receivers while some do not answer, and aborts those on close', async () => {
    const many = (n: number, path: string) =>
      Promise.all(Array.from({ length: n }, () => hooks.hook({ url: `${hooks.url}/${path}` })));
    const [slow, quick] = [await many(7, 'slow'), await many(3, 'quick')];
    const job = await hooks.jobs.create();
    hooks.answer = (_, { path }) => (path.endsWith('/slow') ? 'hang' : 200);
    const one = hooks.sender();
    for (let n = 0; n < 3; n++) {
      await hooks.warn(job.id, n);
      for (const { id } of quick) await hooks.sendUntil(one, hooks.allIn(id, 'DELIVERED'));
    }
    const first = async () => Promise.all(slow.map(async ({ id }) => (await hooks.deliveries(id))[0]));
    for (const under of await first()) expect(under).toMatchObject({ state: 'WAITING', attempts: 1, msg: '' });
    expect(hooks.received.filter(({ path }) => path.endsWith('/slow'))).toHaveLength(7);
    await one.close();
    for (const broken of await first()) expect(broken).toMatchObject({ state: 'WAITING', attempts: 0, msg: '' });
  });

  it('aborts its open attempt on close without counting it', async () => {
    const { id } = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    hooks.answer = () => 'hang';
    const one = hooks.sender();
    await hooks.sendUntil(one, () => hooks.received.length === 1);
    await one.close();
    expect((await hooks.deliveries(id))[0]).toMatchObject({ state: 'WAITING', attempts: 0 });
    hooks.answer = () => 200;
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
    expect(hooks.received).toHaveLength(2);
  });
});

describe('replay of deliveries', () => {
  it('sends one delivery again, also a delivered one', async () => {
    const { id } = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    const one = hooks.sender();
    await hooks.sendUntil(one, hooks.allIn(id, 'DELIVERED'));
    const [delivery] = await hooks.deliveries(id);
    expect(await hooks.store.replayOne(id, delivery!.id)).toMatchObject({ state: 'WAITING', attempts: 0 });
    expect(await hooks.store.replayOne('999', delivery!.id)).toBeUndefined();
    await hooks.sendUntil(one, hooks.allIn(id, 'DELIVERED'));
    expect(hooks.received.map(({ headers }) => headers['orbweaver-delivery'])).toEqual([delivery!.id, delivery!.id]);
  });

  it('sends the events after a given one that match the webhook', async () => {
    const job = await hooks.jobs.create({ crawlId: 'again' });
    for (let n = 0; n < 5; n++) await hooks.warn(job.id, n);
    await logEvent(hooks.jobs.pool, job.id, 'progress', {});
    await hooks.warn((await hooks.jobs.create({ crawlId: 'other' })).id, 9);
    const { id } = await hooks.hook({ crawlId: 'again' });
    const events = await eventsOf(hooks.jobs.pool, job.id);
    expect(await hooks.store.replay(id, events[2]!.id)).toEqual({ deliveries: 3, last: events[5]!.id });
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
    expect(hooks.received.map(({ body }) => body.data['n'])).toEqual([2, 3, 4]);
    expect(await hooks.store.replay(id, events[6]!.id)).toEqual({ deliveries: 0, last: null });
  });
});

/** Deletes old deliveries, and returns how many each transaction has deleted. */
async function purging(limit: number): Promise<{ deleted: number; perTransaction: number[] }> {
  const left = () => hooks.jobs.db.query<{ n: number }>('select count(*)::int as n from webhook_delivery');
  const perTransaction: number[] = [];
  const pool = {
    query: async (statement: string) => {
      const [before] = await left();
      const found = await hooks.jobs.pool.query(statement);
      perTransaction.push(before!.n - (await left())[0]!.n);
      return found;
    },
  };
  return { deleted: await purgeDeliveries(pool as unknown as Pool, 7, limit), perTransaction };
}

describe('retention of deliveries', () => {
  it('deletes old deliveries, and those whose webhook or event was deleted', async () => {
    const [kept, gone] = [await hooks.hook(), await hooks.hook()];
    const job = await hooks.jobs.create();
    for (let n = 0; n < 3; n++) await hooks.warn(job.id, n);
    const [old, orphan] = await hooks.deliveries(kept.id);
    await hooks.jobs.db.query(`update webhook_delivery set created_at = now() - interval '8 days' where id = $1`, [
      old!.id,
    ]);
    await hooks.jobs.db.query('delete from job_event where id = $1', [orphan!.event]);
    await hooks.jobs.db.query('delete from webhook where id = $1', [gone.id]);
    const { deleted, perTransaction } = await purging(2);
    expect([deleted, Math.max(...perTransaction)]).toEqual([5, 2]);
    expect(await hooks.deliveries(kept.id)).toHaveLength(1);
    expect(await hooks.deliveries(gone.id)).toEqual([]);
  });

  it('does not fail the event log when a webhook is deleted concurrently', async () => {
    const job = await hooks.jobs.create();
    for (let n = 0; n < 20; n++) {
      const { id } = await hooks.hook();
      await Promise.all([hooks.warn(job.id, n), hooks.store.remove(id)]);
    }
    expect((await eventsOf(hooks.jobs.pool, job.id)).length).toBe(21);
  });
});
