import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Warnings among the events of a job, for its result: a long FETCH has a million events of progress, and few warnings. */
const up = [`create index job_event_warning on job_event (job, id) where kind = 'warning'`];

const down = [`drop index job_event_warning`];

export class JobWarnings1764800000013 implements MigrationInterface {
  readonly name = 'JobWarnings1764800000013';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
