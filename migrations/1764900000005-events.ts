import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events of a crawl in one order, webhooks that report them, and idempotent requests. Small tables, local to one node.
 *
 * Deliveries have no foreign key: the deletion of a webhook must not fail the transaction of a job that sends an event to it.
 * `job_event_warning` finds the warnings for the result of a job: a long FETCH has a million events of progress, and few of them.
 * `job_event_rare_by_job` and `job_event_rare_by_crawl` find those of one kind for readers of a log.
 * `webhook.owner` created it: its URL is shown to the owner and to admins. Null: created without a key; shown to admins only.
 */
const up = [
  `create table job_event (
     id bigint generated always as identity primary key,
     job text collate "C" not null,
     time timestamptz not null default now(),
     kind text not null,
     data jsonb not null,
     crawl integer
   )`,
  `create index job_event_by_job on job_event (job, id)`,
  `create index job_event_by_time on job_event using brin (time)`,
  `create index job_event_by_crawl on job_event (crawl, id)`,
  `create index job_event_warning on job_event (job, id) where kind = 'warning'`,
  `create index job_event_rare_by_job on job_event (job, kind, id) where kind <> 'progress'`,
  `create index job_event_rare_by_crawl on job_event (crawl, kind, id) where kind <> 'progress'`,
  `create table webhook (
     id bigint generated always as identity primary key,
     url text not null,
     events text[] not null,
     crawl_id text,
     secret text not null,
     state text not null default 'ACTIVE',
     msg text not null default 'OK',
     -- Attempts in a row that failed; while the webhook rests, or a sender works on it, nobody else does.
     failures integer not null default 0,
     busy_until timestamptz,
     turn integer not null default 0,
     idempotency_key text unique,
     request_hash text,
     created_at timestamptz not null default now(),
     owner text,
     constraint webhook_state check (state in ('ACTIVE', 'OFF')),
     constraint webhook_events check (cardinality(events) > 0)
   )`,
  `create table webhook_delivery (
     id bigint generated always as identity primary key,
     webhook bigint not null, event bigint not null,
     state text not null default 'WAITING',
     attempts integer not null default 0,
     next_at timestamptz not null default now(),
     status integer,
     msg text not null default '',
     created_at timestamptz not null default now(),
     ended_at timestamptz,
     constraint webhook_delivery_state check (state in ('WAITING', 'DELIVERED', 'DEAD')),
     constraint webhook_delivery_end check ((state = 'WAITING') = (ended_at is null))
   )`,
  `create index webhook_delivery_waiting on webhook_delivery (webhook, id) where state = 'WAITING'`,
  `create index webhook_delivery_by_webhook on webhook_delivery (webhook, id)`,
  `create table request (
     key text primary key,
     hash text not null,
     running_until timestamptz,
     turn integer not null default 0,
     status integer,
     headers jsonb,
     body text,
     created_at timestamptz not null default now(),
     constraint request_answer check ((running_until is null) = (status is not null))
   )`,
  `create index request_by_time on request (created_at)`,
];

const down = ['drop table request, webhook_delivery, webhook, job_event'];

export class Events1764900000005 implements MigrationInterface {
  readonly name = 'Events1764900000005';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
