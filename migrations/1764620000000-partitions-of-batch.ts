import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Among how many partitions the pages of a batch are divided: their hash alone does not tell which is theirs. */
export class PartitionsOfBatch1764620000000 implements MigrationInterface {
  readonly name = 'PartitionsOfBatch1764620000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // One is the default of GENERATE, for batches made before and by the release before.
    await queryRunner.query(`alter table batch add column partitions integer not null default 1`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table batch drop column partitions`);
  }
}
