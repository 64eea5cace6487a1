import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Segments that stay whole behind UPDATEDB. Pages that were parsed are found by their update mark; `webpage_unparsed` finds
 * the others of a closed batch (redirects, failures, what was not fetched) by the batch they were in last. They are few, so
 * it costs the pages of a batch that were parsed nothing.
 */
const up = [
  `create index webpage_unparsed on webpage (crawl, (batch_id collate "C"))
    where generate_mark is null and batch_id is not null and update_mark is distinct from batch_id collate "C"`,
];

const down = ['drop index webpage_unparsed'];

export class Segments1764630000000 implements MigrationInterface {
  readonly name = 'Segments1764630000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
