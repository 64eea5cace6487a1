import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Jobs (including CRAWL jobs and their children), their tasks, and the workers that run them. Small tables, local to one node.
 *
 * `job` of a CRAWL: `child_counters` sums the counters of its ended jobs, which are `counted` then, and `earlier_steps` joins its older
 * steps: a crawl of some days has tens of thousands of jobs. `closed_at` of the FETCH of a continuous crawl: no more batches are
 * added. `job_unended_index`: UPDATEDB asks, for each window in which it deletes pages, whether an INDEX of the crawl has not
 * sent all its pages.
 *
 * `job_task`: `waiting_since` is the order of claims, which a repeated notification must not change. `idle` tasks only wait for a
 * lock: they have released their slots, and do not count as running when slots are assigned. `deaths` has the pages that were
 * being parsed when the worker of the task died, each with the number of such deaths. `silent_token` is the last attempt whose
 * lease expired while its worker was not known to be dead: it may still send requests. `waits` is what the running attempt
 * reports to wait for: `{ token, for, what, url, pages, since }`. `low_since` and `dry_since`: since when a task of a continuous
 * FETCH has few or no pages left.
 *
 * `worker` has one row per worker process, written by its heartbeat.
 */
const up = [
  `create sequence job_number`,
  `create table job (
     id text collate "C" primary key,
     number bigint not null unique,
     crawl integer not null,
     crawl_id text not null, conf_id text not null,
     conf_hash text not null references conf_snapshot (hash),
     type text not null,
     args jsonb not null,
     state text not null default 'IDLE',
     msg text not null default 'idle',
     plan jsonb, result jsonb,
     lock_key text, parent text,
     round integer,
     idempotency_key text unique,
     created_at timestamptz not null default now(),
     started_at timestamptz, ended_at timestamptz, paused_at timestamptz,
     request_hash text,
     closed_at timestamptz,
     child_counters jsonb,
     counted boolean not null default false,
     earlier_steps jsonb,
     constraint job_state check (state in ('IDLE', 'RUNNING', 'STOPPING', 'KILLING', 'FINISHED', 'FAILED', 'KILLED')),
     constraint job_end check ((state in ('FINISHED', 'FAILED', 'KILLED')) = (ended_at is not null)),
     -- One that never began may be killed.
     constraint job_start check (case state when 'IDLE' then started_at is null when 'KILLED' then true else started_at is not null end),
     unique (parent, round, type)
   )`,
  `create index job_by_crawl on job (crawl_id, number desc)`,
  `create index job_open on job (number) where state in ('IDLE', 'RUNNING', 'STOPPING', 'KILLING')`,
  `create unique index job_lock on job (lock_key) where lock_key is not null and state in ('RUNNING', 'STOPPING', 'KILLING')`,
  `create index job_by_parent on job (parent, number) where parent is not null`,
  `create index job_uncounted on job (parent) where parent is not null and not counted`,
  `create index job_unended_index on job (crawl_id) where type = 'INDEX' and coalesce(result ->> 'reason', '') <> 'done'`,
  // These two find out whether a job still refers to a snapshot, or a list.
  `create index job_by_conf on job (conf_hash)`,
  // Without fastupdate, as each query would scan the whole pending list. Names of lists have at most 128 characters; in jobs
  // that read no list these arguments can have any length, and an index accepts no long values.
  `create index job_by_seed_list on job using gin
    ((array[left(args ->> 'seedName', 128), left(args ->> 'freegen', 128),
            left(args ->> 'sitemapUrlDir', 128), left(args ->> 'hostDir', 128)])) with (fastupdate = off)`,
  `create table job_task (
     id bigint generated always as identity primary key,
     job text collate "C" not null references job (id) on delete cascade,
     part integer not null,
     state text not null default 'WAITING',
     token integer not null default 0, writes integer not null default 0, lost integer not null default 0,
     owner text,
     lease_until timestamptz,
     queued_at timestamptz not null default now(),
     progress jsonb,
     counters jsonb not null default '{}',
     outcome jsonb,
     killed integer not null default 0,
     waiting_since timestamptz not null default now(),
     claimed_at timestamptz,
     idle boolean not null default false,
     deaths jsonb not null default '{}',
     silent_token integer,
     waits jsonb,
     low_since timestamptz, dry_since timestamptz,
     unique (job, part),
     -- Makes the token part of a key: a write that locks its task FOR KEY SHARE keeps rescuers out and lets beats in.
     unique (id, token),
     constraint job_task_state check (state in ('WAITING', 'RUNNING', 'DONE')),
     constraint job_task_lease check ((state = 'RUNNING') = (lease_until is not null)),
     constraint job_task_holder check (state <> 'RUNNING' or (owner is not null and claimed_at is not null and token > 0)),
     constraint job_task_end check ((state = 'DONE') = (outcome is not null))
   ) with (fillfactor = 50)`,
  `create index job_task_open on job_task (state, queued_at) where state <> 'DONE'`,
  `create table worker (
     id text collate "C" primary key,
     server text collate "C" not null,
     machine text not null,
     pid integer not null,
     role text not null, version text not null,
     slots integer not null,
     leaving boolean not null default false,
     pages_per_second real not null default 0, load real not null default 0,
     memory_bytes bigint not null default 0,
     started_at timestamptz not null default now(),
     seen_at timestamptz not null default now()
   ) with (fillfactor = 50)`,
];

const down = ['drop table worker, job_task, job', 'drop sequence job_number'];

export class Jobs1764900000004 implements MigrationInterface {
  readonly name = 'Jobs1764900000004';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
