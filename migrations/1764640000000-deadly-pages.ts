import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pages that were being read when the worker died that held a task, each with the number of such deaths. */
export class DeadlyPages1764640000000 implements MigrationInterface {
  readonly name = 'DeadlyPages1764640000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table job_task add column deaths jsonb not null default '{}'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table job_task drop column deaths');
  }
}
