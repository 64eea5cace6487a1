import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What goes with the jobs that name it: lists that were stored for the inline seeds of a job, and snapshots of configurations
 * that no request has used for a while. The indexes tell whether a job still names one.
 */
const up = [
  'alter table seed_list add column inline boolean not null default false',
  'alter table conf_snapshot add column used_at timestamptz not null default now()',
  'create index seed_list_inline on seed_list (created_at) where inline',
  'create index job_by_conf on job (conf_hash)',
  // A list of entries to come (fastupdate) would be read from end to end for each question. Names of lists have at most 128
  // characters; jobs that read none may have arguments of any length by these names, and an index takes no long ones.
  `create index job_by_seed_list on job using gin
    ((array[left(args ->> 'seedName', 128), left(args ->> 'freegen', 128),
            left(args ->> 'sitemapUrlDir', 128), left(args ->> 'hostDir', 128)])) with (fastupdate = off)`,
];

const down = [
  'drop index job_by_seed_list',
  'drop index job_by_conf',
  'drop index seed_list_inline',
  'alter table conf_snapshot drop column used_at',
  'alter table seed_list drop column inline',
];

export class LeftByJobs1764400000000 implements MigrationInterface {
  readonly name = 'LeftByJobs1764400000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
