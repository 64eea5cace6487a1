import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A FETCH that goes on while batches are added: whether that is over, and how much its tasks have left to fetch. */
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
