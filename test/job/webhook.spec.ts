import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { eventsOf, logEvent } from '../../src/job/job-events.js';
import { MOST_ATTEMPTS, signatureOf } from '../../src/job/webhook-message.js';
import { WebhookOutbox } from '../../src/job/webhook-outbox.js';
import { WebhookSender } from '../../src/job/webhook-sender.js';
import { type Webhook, WebhookStore } from '../../src/job/webhook.store.js';
import { makeEgressGuard } from '../../src/net/egress-guard.js';
import type { Resolve } from '../../src/net/resolver.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';

interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  body: {
    id: string;
    type: string;
    jobId: string;
    crawlId: string;
    data: Record<string, unknown>;
    job: { state: string } | null;
  };
}

let under: JobsUnderTest;
let store: WebhookStore;
let outbox: WebhookOutbox;
let receiver: Server;
let url: string;
let received: Received[] = [];
let answer: (place: number, request: Received) => number | 'hang' | 'reset' = () => 200;
const senders: WebhookSender[] = [];
let logged = '';

beforeAll(async () => {
  under = await openJobs();
  store = new WebhookStore(under.pool);
  outbox = new WebhookOutbox(under.pool);
  receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const one: Received = { headers: request.headers, text, body: JSON.parse(text) as Received['body'] };
      received.push(one);
      const status = answer(received.length, one);
      if (status === 'reset') request.socket.destroy();
      else if (status !== 'hang') response.writeHead(status, { Location: url }).end('x'.repeat(100_000));
    });
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  receiver?.closeAllConnections();
  receiver?.close();
  await under?.close();
});
beforeEach(async () => {
  received = [];
  answer = () => 200;
  logged = '';
  await under.db.query('truncate webhook, webhook_delivery');
});
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
});

const sender = ({ exclude = [], resolve }: { exclude?: string[]; resolve?: Resolve } = {}) => {
  const one = new WebhookSender({
    outbox,
    egress: () => Promise.resolve({ guard: makeEgressGuard({ exclude, include: [] }), verifyTls: true }),
    resolve,
    log: pino({}, { write: (line: string) => void (logged += line) }),
  });
  senders.push(one);
  return one;
};

const secret = 'whsec_0123456789abcdef';
const hook = async (more: Partial<Webhook> = {}) =>
  (await store.create({ url, events: ['warning'], crawlId: null, secret, ...more }, 100))!;
const warn = (job: string, n: number) => logEvent(under.pool, job, 'warning', { n });
const deliveries = async (webhook: string) => (await store.deliveries(webhook, { limit: 1_000 })).toReversed();
/** As if the time of every wait had passed. */
const later = () => under.db.query(`update webhook_delivery set next_at = now() where state = 'WAITING'`);
const rested = () => under.db.query('update webhook set busy_until = null');

/** Wakes the sender until what is looked at is as it should be. */
async function sendUntil(one: WebhookSender, done: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await done())) {
    one.wake();
    await sleep(5);
  }
}
const allIn = (webhook: string, state: string) => async () =>
  (await deliveries(webhook)).every((delivery) => delivery.state === state);

describe('a delivery', () => {
  it('is written with its event, and not when the transaction is rolled back', async () => {
    const { id } = await hook();
    const job = await under.create();
    await expect(
      transaction(under.pool, async (tx) => {
        await logEvent(tx, job.id, 'warning', {});
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await transaction(under.pool, (tx) => logEvent(tx, job.id, 'warning', { n: 1 }));
    const events = await eventsOf(under.pool, job.id);
    expect((await deliveries(id)).map(({ event, state, attempts }) => [event, state, attempts])).toEqual([
      [events[1]?.id, 'WAITING', 0],
    ]);
  });

  it('is written for the kinds and the crawl that the webhook asks for', async () => {
    const [all, ofCrawl, ofDefault] = [
      await hook({ events: ['warning', 'progress'] }),
      await hook({ crawlId: 'w1' }),
      await hook({ crawlId: '' }),
    ];
    const [one, two, three] = [
      await under.create({ crawlId: 'w1' }),
      await under.create({ crawlId: 'w2' }),
      await under.create({ crawlId: '' }),
    ];
    await transaction(under.pool, async (tx) => {
      for (const job of [one, two, three]) {
        await logEvent(tx, job.id, 'warning', {});
        await logEvent(tx, job.id, 'progress', {});
        await logEvent(tx, job.id, 'task', {});
      }
    });
    const counts = [all, ofCrawl, ofDefault].map(async ({ id }) => (await deliveries(id)).length);
    expect(await Promise.all(counts)).toEqual([6, 1, 1]);
  });

  it('carries the event, the job as it is now, and a signature', async () => {
    const { id } = await hook({ events: ['state'] });
    const job = await under.create({ crawlId: 'signed' });
    await transaction(under.pool, (tx) => under.jobs.move(tx, job.id, 'RUNNING', { msg: 'OK' }));
    await sendUntil(sender(), allIn(id, 'DELIVERED'));
    const events = await eventsOf(under.pool, job.id);
    const [delivery] = await deliveries(id);
    const [first, second] = received;
    expect(received).toHaveLength(2);
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
        createdAt: job.createdAt.getTime(),
        startedAt: (await under.job(job.id)).startedAt?.getTime(),
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

  it('of a job that was forgotten says so', async () => {
    const { id } = await hook();
    const job = await under.create();
    await warn(job.id, 1);
    await under.db.query('delete from job where id = $1', [job.id]);
    await sendUntil(sender(), allIn(id, 'DELIVERED'));
    expect(received[0]?.body).toMatchObject({ jobId: job.id, crawlId: null, job: null });
  });
});

describe('the order', () => {
  it('of the deliveries of a webhook is that of the events, whoever sends', async () => {
    const { id } = await hook();
    const job = await under.create();
    const crew = [sender(), sender(), sender()];
    for (let n = 0; n < 60; n++) {
      await warn(job.id, n);
      crew.forEach((one) => one.wake());
    }
    await sendUntil(crew[0]!, allIn(id, 'DELIVERED'));
    expect(received.map(({ body }) => body.data['n'])).toEqual(Array.from({ length: 60 }, (_, n) => n));
  });

  it('is left by one that failed: those behind it go on', async () => {
    const { id } = await hook();
    const job = await under.create();
    for (let n = 0; n < 4; n++) await warn(job.id, n);
    answer = (_, { body }) => (body.data['n'] === 1 && received.length < 3 ? 500 : 200);
    const one = sender();
    await sendUntil(one, async () => (await deliveries(id)).filter(({ state }) => state === 'DELIVERED').length === 3);
    await later();
    await sendUntil(one, allIn(id, 'DELIVERED'));
    expect(received.map(({ body }) => body.data['n'])).toEqual([0, 1, 2, 3, 1]);
  });
});

describe('an attempt that fails', () => {
  it.each([
    ['500', 500, 'answered 500'],
    ['a redirect', 302, 'answered 302; redirects are not followed'],
    ['404', 404, 'answered 404'],
    ['a reset', 'reset', 'no connection: ECONNRESET'],
  ] as const)('%s: waits for the next', async (_, status, msg) => {
    const { id } = await hook();
    await warn((await under.create()).id, 1);
    answer = () => status;
    await sendUntil(sender(), async () => (await deliveries(id))[0]!.msg !== '');
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({ state: 'WAITING', attempts: 1, msg, status: status === 'reset' ? null : status });
    expect(received).toHaveLength(1);
    const [{ s }] = (await under.db.query<{ s: number }>(
      'select extract(epoch from next_at - now())::float8 as s from webhook_delivery',
    )) as [{ s: number }];
    expect(s).toBeGreaterThan(0);
    expect(s).toBeLessThanOrEqual(12);
  });

  it(`is given up after ${MOST_ATTEMPTS}`, async () => {
    const { id } = await hook();
    await warn((await under.create()).id, 1);
    answer = () => 503;
    const one = sender();
    await sendUntil(one, async () => {
      await later();
      await rested();
      return (await deliveries(id))[0]!.state === 'DEAD';
    });
    expect(received).toHaveLength(MOST_ATTEMPTS);
    expect(new Set(received.map(({ headers }) => headers['orbweaver-delivery'])).size).toBe(1);
    expect((await deliveries(id))[0]).toMatchObject({ attempts: MOST_ATTEMPTS, status: 503, msg: 'answered 503' });
  });

  it('too often in a row gives the webhook a rest', async () => {
    const { id } = await hook();
    const job = await under.create();
    for (let n = 0; n < 8; n++) await warn(job.id, n);
    answer = () => 500;
    const one = sender();
    await sendUntil(one, () => received.length === 5);
    while (
      !(
        await under.db.query('select from webhook where busy_until > now() and busy_until < now() + $1::interval', [
          '15 s',
        ])
      ).length
    )
      await sleep(5);
    one.wake();
    await sleep(300);
    expect(received).toHaveLength(5);
    answer = () => 200;
    await rested();
    await sendUntil(one, () => received.length === 8);
    await sendUntil(
      one,
      async () => (await under.db.query('select from webhook where id = $1 and failures = 0', [id])).length === 1,
    );
  });

  it('with 410 switches the webhook off', async () => {
    const { id } = await hook();
    const job = await under.create();
    for (let n = 0; n < 3; n++) await warn(job.id, n);
    answer = () => 410;
    await sendUntil(sender(), allIn(id, 'DEAD'));
    await warn(job.id, 3);
    expect(received).toHaveLength(1);
    expect(await store.find(id)).toMatchObject({ state: 'OFF', msg: 'the receiver answered 410: it is gone for good' });
    expect(await deliveries(id)).toHaveLength(3);
  });

  it('says in the log why, and neither secret nor address', async () => {
    const { id } = await hook();
    await warn((await under.create()).id, 1);
    answer = () => 500;
    await sendUntil(sender(), async () => (await deliveries(id))[0]!.msg !== '');
    expect(logged).toContain('answered 500');
    expect(logged).not.toContain(secret);
    expect(logged).not.toContain('127.0.0.1');
  });
});

describe('a sender', () => {
  it('that died leaves its delivery to another', async () => {
    const { id } = await hook();
    await warn((await under.create()).id, 1);
    const [turn] = await outbox.take(10);
    expect((await outbox.begin(turn!))?.attempts).toBe(1);
    expect(await outbox.take(10)).toEqual([]);
    await under.db.query(`update webhook set busy_until = now() - interval '1 second'`);
    await later();
    await sendUntil(sender(), allIn(id, 'DELIVERED'));
    expect(received).toHaveLength(1);
    // What the dead one would still say changes nothing.
    expect(await outbox.begin(turn!)).toBeUndefined();
    const late = { delivered: false, gone: true, status: 410, msg: 'late' };
    await outbox.ended(
      turn!,
      { id: received[0]!.headers['orbweaver-delivery'] as string, attempts: 1 } as never,
      late,
      0,
    );
    expect((await store.find(id))?.state).toBe('ACTIVE');
  });

  it('that is closed breaks off, and the attempt does not count', async () => {
    const { id } = await hook();
    await warn((await under.create()).id, 1);
    answer = () => 'hang';
    const one = sender();
    await sendUntil(one, () => received.length === 1);
    await one.close();
    expect((await deliveries(id))[0]).toMatchObject({ state: 'WAITING', attempts: 0 });
    answer = () => 200;
    await sendUntil(sender(), allIn(id, 'DELIVERED'));
    expect(received).toHaveLength(2);
  });
});

describe('the egress guard', () => {
  it.each([
    ['a literal', () => url, undefined],
    ['a name that leads inside', () => url.replace('127.0.0.1', 'hooks.test'), ['127.0.0.1']],
    [
      'a name with one inner address among others',
      () => url.replace('127.0.0.1', 'hooks.test'),
      ['192.0.2.1', '127.0.0.1'],
    ],
    ['a mapped address', () => url.replace('127.0.0.1', '[::ffff:7f00:1]'), undefined],
    ['NAT64', () => url.replace('127.0.0.1', '[64:ff9b::7f00:1]'), undefined],
    ['a number', () => url.replace('127.0.0.1', '2130706433'), undefined],
  ])('refuses %s at the socket: the canary sees no connection', async (_, at, addresses) => {
    let connections = 0;
    const count = () => void connections++;
    receiver.on('connection', count);
    const { id } = await hook({ url: at() });
    await warn((await under.create()).id, 1);
    const resolve = () => Promise.resolve(addresses ?? []);
    await sendUntil(sender({ exclude: ['loopback'], resolve }), async () => (await deliveries(id))[0]!.msg !== '');
    receiver.off('connection', count);
    expect((await deliveries(id))[0]!.msg).toMatch(/^refused by the egress rule "loopback"$/);
    expect(connections).toBe(0);
  });

  it('a name is looked up once for an attempt: a second answer is not asked for', async () => {
    const { id } = await hook({ url: url.replace('127.0.0.1', 'hooks.test') });
    await warn((await under.create()).id, 1);
    let asked = 0;
    const resolve = () => Promise.resolve(asked++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
    await sendUntil(sender({ resolve }), allIn(id, 'DELIVERED'));
    expect([asked, received.length]).toEqual([1, 1]);
    expect(received[0]?.headers.host).toMatch(/^hooks\.test:/);
  });

  it('an answer that never ends is not read', async () => {
    let sent = 0;
    const flood = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const pour = (): void => {
        while (!socket.destroyed && socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`)) sent++;
      };
      socket.on('drain', pour);
      pour();
    });
    await new Promise<void>((listening) => flood.listen(0, '127.0.0.1', listening));
    const { id } = await hook({ url: `http://127.0.0.1:${(flood.address() as AddressInfo).port}/` });
    await warn((await under.create()).id, 1);
    await sendUntil(sender(), allIn(id, 'DELIVERED'));
    expect(sent).toBeLessThan(500);
    flood.close();
  });
});

describe('sending again', () => {
  it('one delivery, whatever became of it', async () => {
    const { id } = await hook();
    await warn((await under.create()).id, 1);
    const one = sender();
    await sendUntil(one, allIn(id, 'DELIVERED'));
    const [delivery] = await deliveries(id);
    expect(await store.replayOne(id, delivery!.id)).toMatchObject({ state: 'WAITING', attempts: 0 });
    expect(await store.replayOne('999', delivery!.id)).toBeUndefined();
    await sendUntil(one, allIn(id, 'DELIVERED'));
    expect(received.map(({ headers }) => headers['orbweaver-delivery'])).toEqual([delivery!.id, delivery!.id]);
  });

  it('all events of the log behind one, as far as the webhook asks for them', async () => {
    const job = await under.create({ crawlId: 'again' });
    for (let n = 0; n < 5; n++) await warn(job.id, n);
    await logEvent(under.pool, job.id, 'progress', {});
    await warn((await under.create({ crawlId: 'other' })).id, 9);
    const { id } = await hook({ crawlId: 'again' });
    const events = await eventsOf(under.pool, job.id);
    expect(await store.replay(id, events[2]!.id)).toEqual({ deliveries: 3, last: events[5]!.id });
    await sendUntil(sender(), allIn(id, 'DELIVERED'));
    expect(received.map(({ body }) => body.data['n'])).toEqual([2, 3, 4]);
    expect(await store.replay(id, events[6]!.id)).toEqual({ deliveries: 0, last: null });
  });
});

describe('retention', () => {
  it('forgets old deliveries, and those whose webhook or event is gone', async () => {
    const [kept, gone] = [await hook(), await hook()];
    const job = await under.create();
    for (let n = 0; n < 3; n++) await warn(job.id, n);
    const [old, orphan] = await deliveries(kept.id);
    await under.db.query(`update webhook_delivery set created_at = now() - interval '8 days' where id = $1`, [old!.id]);
    await under.db.query('delete from job_event where id = $1', [orphan!.event]);
    await under.db.query('delete from webhook where id = $1', [gone.id]);
    expect(await store.purge(7)).toBe(5);
    expect(await deliveries(kept.id)).toHaveLength(1);
    expect(await deliveries(gone.id)).toEqual([]);
  });

  it('of a webhook that is deleted while its job logs does not fail the job', async () => {
    const job = await under.create();
    for (let n = 0; n < 20; n++) {
      const { id } = await hook();
      await Promise.all([warn(job.id, n), store.remove(id)]);
    }
    expect((await eventsOf(under.pool, job.id)).length).toBe(21);
  });
});
