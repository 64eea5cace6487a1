import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Documents whose pages were deleted from the table: CLEAN deletes them from every index writer. */
const up = [
  `create table removed_document (
     crawl integer not null,
     host text collate "C" not null,
     key text collate "C" not null,
     primary key (crawl, host, key)
   )`,
];

const down = [`drop table removed_document`];

export class RemovedDocuments1764800000011 implements MigrationInterface {
  readonly name = 'RemovedDocuments1764800000011';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
