/**
 * Deliveries: which sender has the lease of a webhook, what is sent next, and the result.
 *
 * A sender leases a webhook for a minute, and each of its steps renews the lease, under a turn number that rises when
 * another sender takes over. So each webhook has one open delivery at a time, in the order of the events, and what
 * a dead sender had begun is sent again. Failed deliveries wait for their next attempt; the ones after them continue.
 */
import type { Pool } from 'pg';
import { type Fragment, count, fragment, prepared, row, rows, sql, transaction } from '../db/sql.js';
import { finalStates } from '../core/job/job-states.js';
import { afterAttempt } from '../core/job/webhook-states.js';
import { DELIVERY, WEBHOOK } from './states.sql.js';
import type { Outgoing } from './webhook-message.js';
import { MAX_PAUSE_S, MAX_RETRY_DELAY_S, pauseAfter, retryDelay } from '../core/job/webhook-retry.js';

/** A webhook that this process has leased. `turn` is the fencing token. */
export interface WebhookLease {
  webhook: string;
  url: string;
  secret: string;
  turn: number;
}

/** How an attempt ended. */
export interface DeliveryOutcome {
  delivered: boolean;
  /** The receiver reports that it is gone for good (410). */
  gone: boolean;
  status: number | null;
  msg: string;
}

/** Seconds after which another sender takes over: longer than any attempt takes. */
const DELIVERY_LEASE_S = 60;
/** The longest time for which a webhook is leased or paused; and for which a delivery waits for its next attempt. */
const MAX_BUSY_S = Math.max(DELIVERY_LEASE_S, MAX_PAUSE_S);
const MAX_WAIT_S = Math.max(DELIVERY_LEASE_S, MAX_RETRY_DELAY_S);
/** Deliveries without an event that are ended at once. */
const MAX_LOST = 1_000;
/** A point in time is past: it has passed, or it is further off than it can have been set, by a clock that was ahead. */
const isPast = (time: Fragment, maxLength: number) =>
  fragment`(${time} <= now() or ${time} > now() + make_interval(secs => ${maxLength + DELIVERY_LEASE_S}))`;
/** Times of a job as everywhere in the API: ISO 8601, UTC, ms. */
const ISO_TIME = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';

export class WebhookOutbox {
  constructor(private readonly pool: Pool) {}

  /** Leases up to `max` webhooks that have a due delivery and no sender: those leased longest ago. */
  claim(max: number): Promise<WebhookLease[]> {
    return rows<WebhookLease>(prepared(this.pool))`
      update webhook set busy_until = now() + make_interval(secs => ${DELIVERY_LEASE_S}), turn = turn + 1
       where id in (select id from webhook w
                     where state = ${WEBHOOK.ACTIVE} and (busy_until is null or ${isPast(fragment`busy_until`, MAX_BUSY_S)})
                       and exists (select from webhook_delivery d
                                    where d.webhook = w.id and d.state = ${DELIVERY.WAITING}
                                      and ${isPast(fragment`d.next_at`, MAX_WAIT_S)})
                     order by busy_until nulls first, id for update skip locked limit ${max})
      returning id as webhook, url, secret, turn`;
  }

  /**
   * Begins the next delivery that is due: it counts as attempted. Undefined if there is none, or the lease is lost.
   * The job has the form of GET /job.
   */
  begin({ webhook, turn }: WebhookLease): Promise<Outgoing | undefined> {
    return row<Outgoing>(this.pool)`
      with leased as (
        update webhook set busy_until = now() + make_interval(secs => ${DELIVERY_LEASE_S})
         where id = ${webhook} and turn = ${turn} and state = ${WEBHOOK.ACTIVE} returning id
      )
      update webhook_delivery d
         set attempts = d.attempts + 1, next_at = now() + make_interval(secs => ${DELIVERY_LEASE_S})
        from job_event e left join job on job.id = e.job
       cross join lateral (
         select job.paused_at is not null and job.state <> all (${finalStates}::text[]) as paused) as shown
       where e.id = d.event
         and d.id = (select w.id from webhook_delivery w join leased on leased.id = w.webhook
                      where w.state = ${DELIVERY.WAITING} and ${isPast(fragment`w.next_at`, MAX_WAIT_S)}
                        and exists (select from job_event where job_event.id = w.event)
                      order by w.id limit 1)
      returning d.id, d.attempts, d.event, e.kind, e.time, e.job, job.crawl_id as "crawlId", e.data,
        case when job.id is not null then jsonb_build_object(
          'id', job.id, 'type', job.type, 'crawlId', job.crawl_id, 'confId', job.conf_id, 'args', job.args,
          'state', job.state, 'msg', case when paused then 'paused; ' else '' end || job.msg, 'result', job.result,
          'parent', job.parent, 'round', job.round, 'paused', paused,
          'createdAt', to_char(job.created_at at time zone 'UTC', ${ISO_TIME}),
          'startedAt', to_char(job.started_at at time zone 'UTC', ${ISO_TIME}),
          'endedAt', to_char(job.ended_at at time zone 'UTC', ${ISO_TIME})) end as snapshot`;
  }

  /**
   * Ends due deliveries of a webhook whose events were deleted (`job.event.days`): `begin` finds nothing to send for them, but
   * they would be claimed again and again.
   */
  async endLost({ webhook }: WebhookLease): Promise<void> {
    await this.pool.query(sql`
      update webhook_delivery set state = ${DELIVERY.DEAD}, ended_at = now(), msg = 'its event was deleted'
       where state = ${DELIVERY.WAITING}
         and id in (select d.id from webhook_delivery d
                     where d.webhook = ${webhook} and d.state = ${DELIVERY.WAITING} and ${isPast(fragment`d.next_at`, MAX_WAIT_S)}
                       and not exists (select from job_event where job_event.id = d.event)
                     order by d.id limit ${MAX_LOST})`);
  }

  /**
   * Records an attempt: delivered, retried later, or given up. A webhook whose receiver is gone is switched off.
   * @param rule.maxAttempts after how many it is given up (`webhook.attempts.max`)
   * @param rule.chance 0 to 1, for the jitter of retry delays
   */
  async ended(
    lease: WebhookLease,
    out: Outgoing,
    attempt: DeliveryOutcome,
    { maxAttempts, chance }: { maxAttempts: number; chance: number },
  ): Promise<void> {
    await transaction(this.pool, async (tx) => {
      // As `begin` of a sender that has the lease by now: first the webhook, then the delivery.
      await tx.query(sql`select from webhook where id = ${lease.webhook} for no key update`);
      const isGivenUp = attempt.gone || out.attempts >= maxAttempts;
      const state = afterAttempt({ isDelivered: attempt.delivered, isGivenUp });
      const hasEnded = state !== 'WAITING';
      const known = await count(tx)`
        update webhook_delivery
           set state = ${state}, status = ${attempt.status}, msg = ${attempt.msg},
               next_at = now() + make_interval(secs => ${retryDelay(out.attempts, chance)}),
               ended_at = case when ${hasEnded} then now() end
         where id = ${out.id} and state = ${DELIVERY.WAITING} and attempts = ${out.attempts}`;
      if (known === 0) return;
      await tx.query(sql`
        update webhook
           set failures = case when ${attempt.delivered} then 0 else failures + 1 end,
               msg = case when state = ${WEBHOOK.OFF} then msg when ${attempt.delivered} then 'OK'
                          else 'failed attempts in a row: ' || failures + 1 || '; the last: ' || ${attempt.msg}::text end
         where id = ${lease.webhook}`);
      if (!attempt.gone) return;
      const msg = 'the receiver answered 410: it is gone for good';
      await tx.query(sql`update webhook set state = ${WEBHOOK.OFF}, msg = ${msg} where id = ${lease.webhook}`);
      await tx.query(sql`
        update webhook_delivery set state = ${DELIVERY.DEAD}, ended_at = now(), msg = 'the webhook is off'
         where webhook = ${lease.webhook} and state = ${DELIVERY.WAITING}`);
    });
  }

  /** Reverts an attempt that was cut off by our own shutdown. */
  async undo(out: Outgoing): Promise<void> {
    await this.pool.query(sql`
      update webhook_delivery set attempts = attempts - 1, next_at = now()
       where id = ${out.id} and state = ${DELIVERY.WAITING} and attempts = ${out.attempts}`);
  }

  /** Releases a webhook; one that fails repeatedly pauses. */
  async release({ webhook, turn }: WebhookLease): Promise<void> {
    const locked = await row<{ failures: number }>(
      this.pool,
    )`select failures from webhook where id = ${webhook} and turn = ${turn}`;
    if (!locked) return;
    await this.pool.query(sql`
      update webhook set busy_until = now() + make_interval(secs => ${pauseAfter(locked.failures)})
       where id = ${webhook} and turn = ${turn}`);
  }
}
