import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks that only wait for a lock: they have lent their places, and do not count as at work where places are shared. */
export class TasksThatWaitForLocks1764500000000 implements MigrationInterface {
  readonly name = 'TasksThatWaitForLocks1764500000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table job_task add column idle boolean not null default false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table job_task drop column idle');
  }
}
