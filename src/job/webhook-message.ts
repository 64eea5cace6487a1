/** The request that delivers an event to a webhook: its body and its headers. */
import { masked } from '../conf/secret-masks.js';
import { type Ended, cureOf } from '../core/job/failure-codes.js';
import type { EventKind } from './job-event.store.js';
import { signatureOf } from './webhook-signature.js';

/** A delivery that is to be sent: the event, and its job as it is now (null if it was deleted). */
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

/**
 * The body of a delivery: the same for each attempt, but for the state of the job. Arguments that look like secrets are
 * masked.
 */
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
