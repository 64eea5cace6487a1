import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who works: one row per worker process, written by its heartbeat. And since when a task waits: the order of claims, which
 * announcing a task again must not change. Small tables, local to one node.
 */
const up = [
  `create table worker (
     id text collate "C" primary key,
     server text collate "C" not null,
     machine text not null,
     pid integer not null,
     role text not null,
     version text not null,
     slots integer not null,
     leaving boolean not null default false,
     pages_per_second real not null default 0,
     load real not null default 0,
     memory_bytes bigint not null default 0,
     started_at timestamptz not null default now(),
     seen_at timestamptz not null default now()
   ) with (fillfactor = 50)`,
  `alter table job_task add column waiting_since timestamptz not null default now()`,
  `alter table job_task add column claimed_at timestamptz`,
];

const down = [
  'alter table job_task drop column claimed_at',
  'alter table job_task drop column waiting_since',
  'drop table worker',
];

export class Workers1764000000020 implements MigrationInterface {
  readonly name = 'Workers1764000000020';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
