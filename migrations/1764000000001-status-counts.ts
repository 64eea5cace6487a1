import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Pages of a crawl by status, so that statistics need not sum over its hosts: the sums of a moment, and what has changed
 * since, a row for each transaction. Servers that do not write it yet may run beside: the sums are taken anew now and then.
 */
const up = [
  `create table status_count (
     id bigint generated always as identity primary key,
     counted_at timestamptz not null default now(),
     crawl integer not null,
     base boolean not null default false,
     counts bigint[] not null
   )`,
  `create index status_count_by_crawl on status_count (crawl)`,
];

const down = [`drop table status_count`];

export class StatusCounts1764000000001 implements MigrationInterface {
  readonly name = 'StatusCounts1764000000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
