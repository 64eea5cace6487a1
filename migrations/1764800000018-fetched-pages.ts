import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * UPDATEDB of a continuous crawl asks which open batches have fetched pages: the crawl may have thousands of batches whose other
 * pages wait for slow hosts.
 */
export class FetchedPages1764800000018 implements MigrationInterface {
  readonly name = 'FetchedPages1764800000018';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create index webpage_fetched on webpage (crawl, generate_mark, hashtext(key)) where fetch_mark is not null`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index webpage_fetched`);
  }
}
