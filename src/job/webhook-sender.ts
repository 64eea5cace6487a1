/**
 * Sends the pending deliveries of webhooks, inside a worker process: some webhooks at once, one delivery after another for each.
 *
 * The receiver's address comes from a request and its name is resolved by an untrusted name server, so each connection passes the
 * egress guard, redirects are not followed, and nothing of an answer is read but its status.
 */
import type { Logger } from 'pino';
import { faultPoint } from '../db/fault-point.js';
import { EgressRefused } from '../net/connector.js';
import { isRedirection } from '../core/http/redirect-statuses.js';
import type { EgressGuard, Resolve } from '../core/address/egress-guard.js';
import { guardedAgents } from '../net/guarded-agents.js';
import { pause } from '../net/pause.js';
import { systemResolve } from '../net/resolver.js';
import { bodyOf, headersOf } from './webhook-message.js';
import type { DeliveryOutcome, WebhookLease, WebhookOutbox } from './webhook-outbox.store.js';

/** Webhooks that are served concurrently. */
const MAX_CONCURRENT = 8;
/** Time for a whole attempt: connection, request, headers of the answer. */
const ATTEMPT_MS = 10_000;
/** Deliveries of one lease, and the time in which they begin; then other webhooks are served. */
const MAX_PER_LEASE = 100;
const LEASE_MS = 10_000;
/** Events come by hundreds: deliveries are read at most four times a second. */
const PAUSE_MS = 250;

export interface SendingRules {
  guard: EgressGuard;
  /** Whether certificates are verified. */
  verifyTls: boolean;
  /** Attempts for a delivery (`webhook.attempts.max`). */
  maxAttempts: number;
}

export interface WebhookSenderOptions {
  outbox: WebhookOutbox;
  /** What configuration `default` says now. */
  rules: () => Promise<SendingRules>;
  resolve?: Resolve;
  /** Time after which no further delivery of a lease begins. */
  leaseMs?: number;
  log: Logger;
}

export class WebhookSender {
  private readonly closing = new AbortController();
  private again = false;
  private sending: Promise<void> | undefined;
  /** Leases in use; a slow receiver uses one of them, and no more. */
  private readonly serving = new Set<Promise<void>>();

  constructor(private readonly options: WebhookSenderOptions) {}

  /** Sends what is due. Calls while it sends lead to one more pass. */
  wake(): void {
    this.again = true;
    this.sending ??= this.sendAll().finally(() => (this.sending = undefined));
  }

  /** Cuts off open attempts: they are sent again later. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.sending;
    await Promise.all(this.serving);
  }

  private async sendAll(): Promise<void> {
    while (this.again && !this.closing.signal.aborted) {
      this.again = false;
      try {
        const free = MAX_CONCURRENT - this.serving.size;
        const leases = free > 0 ? await this.options.outbox.claim(free) : [];
        leases.forEach((lease) => this.begin(lease));
      } catch (err) {
        this.options.log.warn({ err }, 'cannot send to webhooks; retrying in a second');
      }
      await pause(PAUSE_MS, this.closing.signal);
    }
  }

  /** Its end leads to one more pass: for the webhook, which may have more deliveries, and for those that waited. */
  private begin(lease: WebhookLease): void {
    const served = this.serve(lease)
      // Its lease is not given back: whoever sends next does so when it has expired.
      .catch((err: unknown) => {
        this.options.log.warn(
          { err, webhook: lease.webhook },
          'cannot record a delivery; its webhook continues in a minute',
        );
      })
      .finally(() => {
        this.serving.delete(served);
        this.wake();
      });
    this.serving.add(served);
  }

  private async serve(lease: WebhookLease): Promise<void> {
    const { outbox, log, leaseMs = LEASE_MS } = this.options;
    const end = performance.now() + leaseMs;
    for (let n = 0; n < MAX_PER_LEASE && performance.now() < end && !this.closing.signal.aborted; n++) {
      const out = await outbox.begin(lease);
      if (!out) {
        await outbox.endLost(lease);
        break;
      }
      await faultPoint('webhook.claimed');
      const body = bodyOf(out);
      const seconds = Math.floor(Date.now() / 1000);
      const attempt = await this.post(lease.url, headersOf(out, lease.secret, { seconds, body }), body);
      await faultPoint('webhook.sent');
      if (!attempt) {
        await outbox.undo(out);
        break;
      }
      const { maxAttempts } = await this.options.rules();
      await outbox.ended(lease, out, attempt, { maxAttempts, chance: Math.random() });
      await faultPoint('webhook.recorded');
      if (attempt.delivered) continue;
      log.warn({ webhook: lease.webhook, delivery: out.id, attempts: out.attempts, why: attempt.msg }, 'not delivered');
      break;
    }
    await outbox.release(lease);
  }

  /** One attempt; undefined if we aborted it ourselves. */
  private async post(url: string, headers: Record<string, string>, body: string): Promise<DeliveryOutcome | undefined> {
    const limit = AbortSignal.timeout(ATTEMPT_MS);
    try {
      const { guard, verifyTls } = await this.options.rules();
      // Loaded when there is something to send: it would cost every worker process 5 MB.
      const { default: axios } = await import('axios');
      const { httpAgent, httpsAgent } = guardedAgents(
        { guard, verifyTls, resolve: this.options.resolve ?? systemResolve },
        ATTEMPT_MS,
      );
      const answer = await axios.post<NodeJS.ReadableStream & { destroy(): void }>(url, Buffer.from(body), {
        headers,
        httpAgent,
        httpsAgent,
        adapter: 'http',
        maxRedirects: 0,
        proxy: false,
        decompress: false,
        responseType: 'stream',
        signal: AbortSignal.any([limit, this.closing.signal]),
        validateStatus: () => true,
      });
      answer.data.destroy();
      return attemptOf(answer.status);
    } catch (error) {
      if (this.closing.signal.aborted) return undefined;
      const msg = limit.aborted ? `no answer within ${ATTEMPT_MS / 1000} s` : failureReason(error);
      return { delivered: false, gone: false, status: null, msg };
    }
  }
}

function attemptOf(status: number): DeliveryOutcome {
  const delivered = status >= 200 && status < 300;
  const redirect = isRedirection(status) ? '; redirects are not followed' : '';
  return { delivered, gone: status === 410, status, msg: delivered ? 'OK' : `answered ${status}${redirect}` };
}

/** Names the kind of a failure, never an address. */
function failureReason(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause ?? error;
  if (cause instanceof EgressRefused) return cause.message;
  return `no connection: ${String((cause as { code?: unknown }).code ?? 'failed').slice(0, 100)}`;
}
