import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the attempt at a task that is at work waits for, as it says itself: `{ token, for, what, url, pages, since }`. */
export class TaskWaits1764661900000 implements MigrationInterface {
  readonly name = 'TaskWaits1764661900000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table job_task add column waits jsonb');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table job_task drop column waits');
  }
}
