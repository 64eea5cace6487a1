import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs, their tasks and their event log; configurations and seed lists. Small tables, local to one node. */
const up = [
  `create table crawl_conf (
     id text collate "C" primary key,
     params jsonb not null,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now()
   )`,
  `create table conf_snapshot (hash text primary key, params jsonb not null)`,
  `create table seed_list (
     name text collate "C" primary key,
     id bigint,
     created_at timestamptz not null default now()
   )`,
  `create table seed_url (
     list text collate "C" not null references seed_list (name) on delete cascade,
     position integer not null,
     id bigint,
     line text not null,
     primary key (list, position)
   )`,
  `create sequence job_number`,
  `create table job (
     id text collate "C" primary key,
     number bigint not null unique,
     crawl integer not null,
     crawl_id text not null,
     conf_id text not null,
     conf_hash text not null references conf_snapshot (hash),
     type text not null,
     args jsonb not null,
     state text not null default 'IDLE',
     msg text not null default 'idle',
     plan jsonb,
     result jsonb,
     lock_key text,
     parent text,
     round integer,
     idempotency_key text unique,
     created_at timestamptz not null default now(),
     started_at timestamptz,
     ended_at timestamptz,
     constraint job_state check (state in ('IDLE', 'RUNNING', 'STOPPING', 'KILLING', 'FINISHED', 'FAILED', 'KILLED')),
     constraint job_end check ((state in ('FINISHED', 'FAILED', 'KILLED')) = (ended_at is not null)),
     constraint job_start check (state in ('IDLE', 'KILLED') or started_at is not null),
     unique (parent, round, type)
   )`,
  `create index job_by_crawl on job (crawl_id, number desc)`,
  `create index job_open on job (number) where state in ('IDLE', 'RUNNING', 'STOPPING', 'KILLING')`,
  `create unique index job_lock on job (lock_key) where lock_key is not null and state in ('RUNNING', 'STOPPING', 'KILLING')`,
  `create table job_task (
     id bigint generated always as identity primary key,
     job text collate "C" not null references job (id) on delete cascade,
     part integer not null,
     state text not null default 'WAITING',
     token integer not null default 0,
     writes integer not null default 0,
     lost integer not null default 0,
     owner text,
     lease_until timestamptz,
     queued_at timestamptz not null default now(),
     progress jsonb,
     counters jsonb not null default '{}',
     outcome jsonb,
     unique (job, part),
     -- Makes the token part of a key: a write that locks its task FOR KEY SHARE keeps rescuers out and lets beats in.
     unique (id, token),
     constraint job_task_state check (state in ('WAITING', 'RUNNING', 'DONE')),
     constraint job_task_lease check ((state = 'RUNNING') = (lease_until is not null))
   ) with (fillfactor = 50)`,
  `create index job_task_open on job_task (state, queued_at) where state <> 'DONE'`,
  `create table job_event (
     id bigint generated always as identity primary key,
     job text collate "C" not null,
     time timestamptz not null default now(),
     kind text not null,
     data jsonb not null
   )`,
  `create index job_event_by_job on job_event (job, id)`,
  `create index job_event_by_time on job_event using brin (time)`,
];

const down = [
  'drop table job_event',
  'drop table job_task',
  'drop table job',
  'drop sequence job_number',
  'drop table seed_url',
  'drop table seed_list',
  'drop table conf_snapshot',
  'drop table crawl_conf',
];

export class Jobs1763700000001 implements MigrationInterface {
  readonly name = 'Jobs1763700000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
