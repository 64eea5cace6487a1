import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Columns that no statement looks for have no planner statistics: for a sample of 30,000 pages ANALYZE would read each of
 * their links, count how often each occurs, and compare whole documents of headers. It is the dearer part of it by far (190
 * of 250 ms for `page_content`), and a table that grows is analyzed again and again.
 */
const COLUMNS: Record<string, string[]> = {
  webpage: ['base_url', 'repr_url', 'redirect_url', 'title', 'etag', 'protocol_args', 'parse_args', 'metadata'],
  page_content: ['headers', 'outlink_keys', 'outlink_anchors', 'text', 'content'],
  inlink: ['anchor'],
};

const DEFAULT = -1;

async function setStatistics(queryRunner: QueryRunner, target: number): Promise<void> {
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const actions = columns.map((column) => `alter column ${column} set statistics ${target}`);
    await queryRunner.query(`alter table ${table} ${actions.join(', ')}`);
  }
}

export class NoStatisticsOfContents1764100000000 implements MigrationInterface {
  readonly name = 'NoStatisticsOfContents1764100000000';

  up(queryRunner: QueryRunner): Promise<void> {
    return setStatistics(queryRunner, 0);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return setStatistics(queryRunner, DEFAULT);
  }
}
