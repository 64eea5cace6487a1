/** What a webhook is sent, how it is signed, and when it is tried again. */
import { createHmac } from 'node:crypto';
import { masked } from '../conf/conf-texts.js';
import { type Ended, cureOf } from './failure-codes.js';
import type { EventKind } from './job-events.js';

/** A delivery that is to be sent: the event, and its job as it is now (null when it was forgotten). */
export interface Outgoing {
  id: string;
  attempts: number;
  event: string;
  kind: EventKind;
  time: Date;
  job: string;
  crawlId: string | null;
  data: Record<string, unknown>;
  snapshot: (Ended & { args: Record<string, unknown> } & Record<string, unknown>) | null;
}

/** Waits after the first, second, … attempt that failed, in seconds: three times as long each time, from 10 s to 6 h. */
const FIRST_WAIT_S = 10;
const MAX_WAIT_S = 6 * 3600;
/** By how much a wait may be longer or shorter. */
const SPREAD = 0.2;
/** The longest wait, seconds. */
export const LONGEST_WAIT_S = MAX_WAIT_S * (1 + SPREAD);
/** Failures in a row after which a webhook rests between two attempts, so that a dead receiver does not cost 10 s each. */
const PATIENCE = 5;
export const MAX_REST_S = 300;

/**
 * Seconds until the next attempt.
 * @param attempts made so far, at least 1
 * @param chance 0 to 1: spreads the waits by 20 % to both sides, so that deliveries do not come back all at once
 */
export function waitAfter(attempts: number, chance: number): number {
  return Math.min(MAX_WAIT_S, FIRST_WAIT_S * 3 ** (attempts - 1)) * (1 - SPREAD + 2 * SPREAD * chance);
}

/** Seconds for which a webhook is left alone after so many failures in a row. */
export function restAfter(failures: number): number {
  return failures < PATIENCE ? 0 : Math.min(MAX_REST_S, 10 * 2 ** (failures - PATIENCE));
}

/** The body of a delivery: the same for each attempt, but for the state of the job. Arguments that look like secrets are masked. */
export function bodyOf(out: Outgoing): string {
  return JSON.stringify({
    id: out.event,
    type: out.kind,
    time: out.time.toISOString(),
    jobId: out.job,
    crawlId: out.crawlId,
    data: out.data,
    job: out.snapshot && jobOf(out.snapshot),
  });
}

/** The job as the API shows it. */
function jobOf(snapshot: NonNullable<Outgoing['snapshot']>): object {
  const cure = cureOf(snapshot);
  return { ...snapshot, args: masked(snapshot.args), ...(cure && { cure }) };
}

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA256 with the secret over `<seconds>.<body>`. The time is signed too, so a receiver that
 * refuses old ones cannot be sent a recorded delivery again.
 */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** The headers of a delivery. */
export function headersOf(out: Outgoing, secret: string, { seconds, body }: { seconds: number; body: string }) {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Orbweaver-Webhook/1',
    'Orbweaver-Event-Id': out.event,
    'Orbweaver-Delivery': out.id,
    'Orbweaver-Timestamp': String(seconds),
    'Orbweaver-Signature': signatureOf(secret, seconds, body),
  };
}
