import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sitemaps and what HOSTDB finds out about hosts.
 *
 * A row of `sitemap` is a sitemap that a crawl knows and, while `wanted_by` names a job, that job's work list: it is taken
 * off in the transaction that writes the last of its entries. `done_by` keeps a job from reading a sitemap twice, so an index
 * that names itself ends. `position` counts the entries that were written by an attempt that did not come to the end.
 * A row of source `host` stands for an origin whose robots.txt is to be asked; it goes when that is done.
 *
 * `fetch_delay_ms` is the rest that GENERATE has worked out for a host of its batch (`generate.fetch.delay.expr`).
 */
const up = [
  `create table sitemap (
     crawl integer not null,
     depth smallint not null default 0,
     http_status smallint,
     position integer not null default 0,
     entries integer,
     fetched_at timestamptz,
     host text collate "C" not null,
     url text collate "C" not null,
     source text collate "C" not null,
     found_in text collate "C",
     vouched_by text,
     wanted_by text collate "C",
     done_by text,
     status text,
     error text,
     etag text,
     last_modified text,
     primary key (crawl, host, url),
     constraint sitemap_source check (source in ('seed', 'argument', 'robots', 'default', 'index', 'host'))
   )`,
  `create index sitemap_wanted on sitemap (crawl, wanted_by, host) where wanted_by is not null`,
  `create index sitemap_found_in on sitemap (crawl, found_in) where found_in is not null`,
  `alter table host add column dns_failures integer not null default 0`,
  `alter table host add column dns_checked_at timestamptz`,
  `alter table host add column hostdb jsonb`,
  `alter table host add column hostdb_at timestamptz`,
  `alter table host add column fetch_delay_ms integer`,
  `create index host_fetch_delay on host (crawl, host) where fetch_delay_ms is not null`,
];

const down = [
  `drop index host_fetch_delay`,
  `alter table host drop column fetch_delay_ms`,
  `alter table host drop column hostdb_at`,
  `alter table host drop column hostdb`,
  `alter table host drop column dns_checked_at`,
  `alter table host drop column dns_failures`,
  `drop table sitemap`,
];

export class Sitemaps1763900000003 implements MigrationInterface {
  readonly name = 'Sitemaps1763900000003';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
