/**
 * Webhooks and their deliveries, for the API.
 *
 * A delivery is a row that is written in the transaction of its event (job-event.store.ts), so none is lost; the worker sends
 * them (webhook-outbox.store.ts). The secret signs deliveries, so it is stored as it is; it is never read for an
 * answer.
 */
import type { Pool } from 'pg';
import { MoreThan, type Repository } from 'typeorm';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { fragment, row, rows, sql, transaction } from '../db/sql.js';
import type { DeliveryState, WebhookState } from '../core/job/webhook-states.js';
import type { EventKind } from './job-event.store.js';
import { DELIVERY, WEBHOOK } from './states.sql.js';
import { earlierResult, recordResult } from './idempotency.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookEntity } from './webhook.entity.js';

export interface Webhook {
  /** bigint as text. */
  id: string;
  url: string;
  events: EventKind[];
  /** Null: of all crawls. */
  crawlId: string | null;
  state: WebhookState;
  /** `OK`, or why it is off, or how its last attempts failed. */
  msg: string;
  createdAt: Date;
  /** Who created it; null: a client without a key, or before this was stored. */
  owner: string | null;
}

export interface NewWebhook extends Pick<Webhook, 'url' | 'events' | 'crawlId' | 'owner'> {
  secret: string;
}

export interface Delivery {
  id: string;
  event: string;
  state: DeliveryState;
  attempts: number;
  /** Time of the next attempt; null if there is none. */
  nextAt: Date | null;
  /** Status of the last answer, null if there was none. */
  status: number | null;
  msg: string;
  createdAt: Date;
  endedAt: Date | null;
}

/** Events that one call sends again at most; the id of the last one is where the next call continues. */
export const MAX_REPLAYED = 10_000;

/** Deliveries that wait for one webhook beyond which no call adds more: each call would fill the disk further. */
export const MAX_WAITING = 100_000;

/** Key of the advisory lock under which webhooks are counted and created. */
const COUNT_LOCK = 7_104_541;

/** Deliveries that housekeeping looks at in one transaction. */
const PER_PURGE = 5_000;

const webhookColumns = fragment`id, url, events, crawl_id as "crawlId", state, msg, created_at as "createdAt", owner`;
const deliveryColumns = fragment`id, event, state, attempts, case when state = ${DELIVERY.WAITING} then next_at end as "nextAt",
  status, msg, created_at as "createdAt", ended_at as "endedAt"`;

/** All columns but the secret and those that only senders need. */
const shownColumns = {
  id: true,
  url: true,
  events: true,
  crawlId: true,
  state: true,
  msg: true,
  createdAt: true,
  owner: true,
} as const;

export class WebhookStore {
  private readonly pool: Pool;
  private readonly webhooks: Repository<WebhookEntity>;
  private readonly sent: Repository<WebhookDeliveryEntity>;

  constructor(dataSource: Pick<PooledDataSource, 'pool' | 'getRepository'>) {
    this.pool = dataSource.pool;
    this.webhooks = dataSource.getRepository(WebhookEntity);
    this.sent = dataSource.getRepository(WebhookDeliveryEntity);
  }

  /**
   * Writes the webhook; a repeated request returns the one it created, with its secret. Undefined if there are `max`, or
   * `maxOfOwner` of its owner.
   */
  create(
    hook: NewWebhook,
    { max, maxOfOwner = max }: { max: number; maxOfOwner?: number },
  ): Promise<(Webhook & { secret: string }) | undefined> {
    return transaction(this.pool, async (tx) => {
      const earlier = await earlierResult(tx, 'webhook');
      if (earlier !== undefined)
        return row<Webhook & { secret: string }>(
          tx,
        )`select ${webhookColumns}, secret from webhook where id = ${earlier}`;
      // Two requests that count at the same time would both see one fewer than the maximum.
      await tx.query(sql`select pg_advisory_xact_lock(${COUNT_LOCK}::bigint)`);
      const created = await row<Webhook & { secret: string }>(tx)`
        insert into webhook (url, events, crawl_id, secret, owner)
        select ${hook.url}, ${hook.events}::text[], ${hook.crawlId}, ${hook.secret}, ${hook.owner}
         where (select count(*) from webhook) < ${max}
           and (select count(*) from webhook where owner = ${hook.owner}) < ${maxOfOwner}
        returning ${webhookColumns}, secret`;
      if (created) await recordResult(tx, 'webhook', created.id);
      return created;
    });
  }

  /** The number of webhooks of an owner; 0 without one. */
  async countOf(owner: string | null): Promise<number> {
    return owner === null ? 0 : this.webhooks.countBy({ owner });
  }

  async find(id: string): Promise<Webhook | undefined> {
    return (await this.webhooks.findOne({ select: shownColumns, where: { id } })) ?? undefined;
  }

  /** Oldest first, after `after`. */
  list(after: string, limit: number): Promise<Webhook[]> {
    return this.webhooks.find({
      select: shownColumns,
      where: { id: MoreThan(after) },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  /** Deletes a webhook and its deliveries. */
  async remove(id: string): Promise<boolean> {
    const { affected } = await this.webhooks.delete({ id });
    await this.sent.delete({ webhook: id });
    return affected === 1;
  }

  /** Newest first, before `before` if given. */
  deliveries(
    webhook: string,
    { state, before, limit }: { state?: DeliveryState; before?: string; limit: number },
  ): Promise<Delivery[]> {
    return rows<Delivery>(this.pool)`
      select ${deliveryColumns} from webhook_delivery
       where webhook = ${webhook} and (${before ?? null}::bigint is null or id < ${before ?? null})
         and (${state ?? null}::text is null or state = ${state ?? null})
       order by id desc limit ${limit}`;
  }

  /** Sends a delivery again, whatever its state, with all its attempts. Undefined if there is none. */
  replayOne(webhook: string, delivery: string): Promise<Delivery | undefined> {
    return row<Delivery>(this.pool)`
      update webhook_delivery set state = ${DELIVERY.WAITING}, attempts = 0, next_at = now(), ended_at = null, msg = 'sent again on request'
       where id = ${delivery} and webhook = ${webhook}
      returning ${deliveryColumns}`;
  }

  /**
   * Inserts new deliveries of the events after `after` that the webhook subscribes to, oldest first. Returns how many, and the
   * id of the last event; `MAX_REPLAYED` of them means that there may be more. Undefined, and nothing is inserted, while
   * `MAX_WAITING` deliveries of the webhook wait.
   */
  async replay(webhook: string, after: string): Promise<{ deliveries: number; last: string | null } | undefined> {
    if ((await this.waiting(webhook)) >= MAX_WAITING) return undefined;
    const replayed = await row<{ n: number; last: string | null }>(this.pool)`
      with wanted as (
        select e.id from webhook w join job_event e on e.kind = any (w.events) left join job on job.id = e.job
         where w.id = ${webhook} and w.state = ${WEBHOOK.ACTIVE} and e.id > ${after}
           and (w.crawl_id is null or job.crawl_id = w.crawl_id)
         order by e.id limit ${MAX_REPLAYED}
      ), made as (
        insert into webhook_delivery (webhook, event) select ${webhook}::bigint, id from wanted order by id returning event
      )
      select count(*)::int as n, max(event) as last from made`;
    return { deliveries: replayed?.n ?? 0, last: replayed?.last ?? null };
  }

  /** How many deliveries of a webhook wait; `MAX_WAITING` if there are more. */
  private async waiting(webhook: string): Promise<number> {
    const counted = await row<{ n: number }>(this.pool)`
      select count(*)::int as n
        from (select 1 as x from webhook_delivery
               where webhook = ${webhook} and state = ${DELIVERY.WAITING} limit ${MAX_WAITING}) as waiting`;
    return counted?.n ?? 0;
  }
}

interface Purged {
  deleted: number;
  /** Id of the last delivery that was looked at; null if there was none. */
  last: string | null;
}

/**
 * Deletes old deliveries that have ended, and deliveries of webhooks or events that are gone; returns how many.
 * @param limit deliveries that are looked at in one transaction, so that no lock is kept for long
 */
export async function purgeDeliveries(pool: Pool, eventDays: number, limit = PER_PURGE): Promise<number> {
  let deleted = 0;
  for (let after: string | null = '0'; after !== null;) {
    const purged: Purged | undefined = await row<Purged>(pool)`
      with seen as (
        select id from webhook_delivery where id > ${after} order by id limit ${limit}
      ), gone as (
        delete from webhook_delivery d using seen
         where d.id = seen.id
           and (d.created_at < now() - make_interval(days => ${eventDays})
                or not exists (select from webhook where webhook.id = d.webhook)
                or (d.state = ${DELIVERY.WAITING} and not exists (select from job_event where job_event.id = d.event)))
        returning d.id
      )
      select (select count(*)::int from gone) as deleted, (select max(id) from seen) as last`;
    deleted += purged?.deleted ?? 0;
    after = purged?.last ?? null;
  }
  return deleted;
}
