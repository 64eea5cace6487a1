import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Pages that are no documents of an index any more: CLEAN looks for those among them that have one. `coalesce` keeps the index for
 * its statement: without it the planner would take it for others that name one of these statuses and have an index of their own.
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
