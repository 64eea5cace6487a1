import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Crawls of many rounds: a CRAWL job and its children; jobs that pause; attempts that end with their server. */
const up = [
  `alter table job add column paused_at timestamptz`,
  `alter table job add column request_hash text`,
  `alter table job_task add column killed integer not null default 0`,
  `create index job_by_parent on job (parent, number) where parent is not null`,
];

const down = [
  'drop index job_by_parent',
  'alter table job_task drop column killed',
  'alter table job drop column request_hash',
  'alter table job drop column paused_at',
];

export class Crawls1763800000000 implements MigrationInterface {
  readonly name = 'Crawls1763800000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
