import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The counters of the ended jobs of a CRAWL, summed in its row: a crawl of some days has many thousand jobs. Jobs that have
 * ended before are not counted there, and are summed at each reading.
 */
const up = [
  `alter table job add column child_counters jsonb`,
  `alter table job add column counted boolean not null default false`,
  `create index job_uncounted on job (parent) where parent is not null and not counted`,
];

const down = [
  `drop index job_uncounted`,
  `alter table job drop column counted`,
  `alter table job drop column child_counters`,
];

export class CrawlCounters1764800000015 implements MigrationInterface {
  readonly name = 'CrawlCounters1764800000015';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
