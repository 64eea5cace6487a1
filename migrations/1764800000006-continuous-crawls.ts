import type { MigrationInterface, QueryRunner } from 'typeorm';

/** FETCH of a continuous crawl, to which batches are added: when it was closed, and since when a task has few or no pages left. */
const up = [
  `alter table job add column closed_at timestamptz`,
  `alter table job_task add column low_since timestamptz, add column dry_since timestamptz`,
];

const down = [
  `alter table job_task drop column low_since, drop column dry_since`,
  `alter table job drop column closed_at`,
];

export class ContinuousCrawls1764800000006 implements MigrationInterface {
  readonly name = 'ContinuousCrawls1764800000006';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
