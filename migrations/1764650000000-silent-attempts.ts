import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last attempt whose lease ran out without anybody knowing that its worker had died: it may still be asking hosts. */
export class SilentAttempts1764650000000 implements MigrationInterface {
  readonly name = 'SilentAttempts1764650000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table job_task add column silent_token int');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table job_task drop column silent_token');
  }
}
