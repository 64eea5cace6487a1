import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { properties } from '../../src/core/conf/properties.js';
import { logEvent } from '../../src/job/job-event.store.js';
import { WebhookOutbox } from '../../src/job/webhook-outbox.store.js';
import { WebhookSender } from '../../src/job/webhook-sender.js';
import { type Delivery, type Webhook, WebhookStore } from '../../src/job/webhook.store.js';
import { makeEgressGuard, type Resolve } from '../../src/core/address/egress-guard.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';

/** Webhooks on their own database, a receiver on loopback, and senders that a test wakes. */

export interface Received {
  path: string;
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

/** `webhook.attempts.max` as shipped. */
export const MAX_ATTEMPTS = properties['webhook.attempts.max'].default;

type Answered = number | 'hang' | 'reset';
export type Answer = (place: number, request: Received) => Answered | Promise<Answered>;

export const secret = 'whsec_0123456789abcdef';

export class WebhooksUnderTest {
  received: Received[] = [];
  answer: Answer = () => 200;
  /** The log output of the senders. */
  logged = '';
  readonly store: WebhookStore;
  readonly outbox: WebhookOutbox;
  private readonly senders: WebhookSender[] = [];

  private constructor(
    readonly jobs: JobsUnderTest,
    readonly receiver: Server,
    readonly url: string,
  ) {
    this.store = new WebhookStore(jobs.dataSource);
    this.outbox = new WebhookOutbox(jobs.pool);
  }

  static async open(): Promise<WebhooksUnderTest> {
    const receiver = createServer();
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const under = new WebhooksUnderTest(await openJobs(), receiver, url);
    receiver.on('request', (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', async () => {
        const body = JSON.parse(text) as Received['body'];
        const one: Received = { path: request.url ?? '', headers: request.headers, text, body };
        under.received.push(one);
        const status = await under.answer(under.received.length, one);
        if (status === 'reset') request.socket.destroy();
        else if (status !== 'hang') response.writeHead(status, { Location: url }).end('x'.repeat(100_000));
      });
    });
    return under;
  }

  /** Restores the initial state: no webhooks, a receiver that answers 200. */
  async reset(): Promise<void> {
    this.received = [];
    this.answer = () => 200;
    this.logged = '';
    await this.jobs.db.query('truncate webhook, webhook_delivery');
  }

  sender({
    exclude = [],
    resolve,
    leaseMs,
    maxAttempts = MAX_ATTEMPTS,
  }: { exclude?: string[]; resolve?: Resolve; leaseMs?: number; maxAttempts?: number } = {}): WebhookSender {
    const one = new WebhookSender({
      outbox: this.outbox,
      rules: () => Promise.resolve({ guard: makeEgressGuard({ exclude, include: [] }), verifyTls: true, maxAttempts }),
      resolve,
      ...(leaseMs !== undefined && { leaseMs }),
      log: pino({}, { write: (line: string) => void (this.logged += line) }),
    });
    this.senders.push(one);
    return one;
  }

  async closeSenders(): Promise<void> {
    await Promise.all(this.senders.splice(0).map((sender) => sender.close()));
  }

  async hook(more: Partial<Webhook> = {}): Promise<Webhook> {
    return (await this.store.create(
      { url: this.url, events: ['warning'], crawlId: null, owner: null, secret, ...more },
      { max: 100 },
    ))!;
  }

  warn(job: string, n: number): Promise<void> {
    return logEvent(this.jobs.pool, job, 'warning', { n });
  }

  /** Oldest first. */
  async deliveries(webhook: string): Promise<Delivery[]> {
    return (await this.store.deliveries(webhook, { limit: 1_000 })).toReversed();
  }

  /** Makes every waiting delivery due. */
  async later(): Promise<void> {
    await this.jobs.db.query(`update webhook_delivery set next_at = now() where state = 'WAITING'`);
  }

  async rested(): Promise<void> {
    await this.jobs.db.query('update webhook set busy_until = null');
  }

  /** Wakes the sender until a condition is met. */
  async sendUntil(one: WebhookSender, done: () => Promise<boolean> | boolean): Promise<void> {
    while (!(await done())) {
      one.wake();
      await sleep(5);
    }
  }

  allIn(webhook: string, state: string): () => Promise<boolean> {
    return async () => (await this.deliveries(webhook)).every((delivery) => delivery.state === state);
  }

  /** Waits until the first delivery was attempted, and returns it. */
  async attempted(webhook: string, one: WebhookSender): Promise<Delivery> {
    await this.sendUntil(one, async () => (await this.deliveries(webhook))[0]!.msg !== '');
    return (await this.deliveries(webhook))[0]!;
  }

  async close(): Promise<void> {
    this.receiver.closeAllConnections();
    this.receiver.close();
    await this.jobs.close();
  }
}
