import type { MigrationInterface, QueryRunner } from 'typeorm';

/** UPDATEDB with `db.update.purge.404` finds the gone pages of earlier batches. Only pages that are gone have an entry. */
export class GonePages1764610000000 implements MigrationInterface {
  readonly name = 'GonePages1764610000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index webpage_gone on webpage (crawl, host, key) where status = 3');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index webpage_gone');
  }
}
