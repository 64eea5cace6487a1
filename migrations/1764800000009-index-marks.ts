import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Pages that are no longer documents of an index: CLEAN searches them for those with a document. `coalesce` reserves the index for
 * its statement: without it the planner would use it for others with one of these statuses, which have an index of their own.
 */
const up = [
  `create index webpage_leaver on webpage (crawl, host, key_hash) where coalesce(status in (3, 4, 5, 7, 8, 9), false)`,
];

const down = [`drop index webpage_leaver`];

export class IndexMarks1764800000009 implements MigrationInterface {
  readonly name = 'IndexMarks1764800000009';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
