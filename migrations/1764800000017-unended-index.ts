import type { MigrationInterface, QueryRunner } from 'typeorm';

/** UPDATEDB asks, for each window in which it deletes pages, whether an INDEX of the crawl has not sent all its pages. */
export class UnendedIndex1764800000017 implements MigrationInterface {
  readonly name = 'UnendedIndex1764800000017';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create index job_unended_index on job (crawl_id) where type = 'INDEX' and coalesce(result ->> 'reason', '') <> 'done'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index job_unended_index`);
  }
}
