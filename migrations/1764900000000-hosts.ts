import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Hosts: their counts, settings by hand, robots.txt, fetch queues, sitemaps and URL templates. Every table that grows with the
 * web has `host` (the row key up to its first colon) right after `crawl` in its primary key, so that it can be distributed by
 * host; it has no foreign keys and no triggers. This applies to all migrations.
 *
 * `host`: threads, delays, drain and a block are set by hand; the back-off follows from the answers of servers. `blocked_by`
 * distinguishes a block by hand, which only a user removes, from a back-off, which ends with the first success. The few hosts
 * that are excluded have an index of their own: every GENERATE reads them. `fetch_delay_ms` is the delay that GENERATE has
 * computed for a host of its batch (`generate.fetch.delay.expr`).
 *
 * `robots.failing_since`: a file that is unavailable for long counts as missing. `politeness.delay_ms` is the delay that the
 * holder of a fetch queue keeps after each request: if it dies, the next holder keeps it, too. `wanted_by` is the task that
 * waits for the queue of another one, `wanted_until` the end of that request: the holder releases it between two requests.
 *
 * A row of `sitemap` is a sitemap known to a crawl; while `wanted_by` names a job, it is an entry of that job's work list, which
 * the transaction that writes its last entries removes. `done_by` keeps a job from reading a sitemap twice, so an index that
 * contains itself ends. `position` counts the entries written by an attempt that was interrupted. A row of source `host` is
 * an origin whose robots.txt is still to be read; it is deleted afterwards.
 *
 * `url_template` has statistics of the URL templates of a host with a budget (`trap.*`): URLs added, pages seen, and the number
 * of them that were near duplicates of the samples. `stopped_at`: no further URLs of the template are added.
 */
const up = [
  `create table host (
     crawl integer not null,
     host text collate "C" not null, domain text collate "C" not null,
     n_unfetched bigint not null default 0, n_fetched bigint not null default 0,
     n_gone bigint not null default 0, n_redir_temp bigint not null default 0,
     n_redir_perm bigint not null default 0, n_notmodified bigint not null default 0,
     n_duplicate bigint not null default 0, n_orphan bigint not null default 0,
     n_parse_failed bigint not null default 0, n_retry bigint not null default 0,
     failures integer not null default 0,
     delay_ms integer,
     blocked_until timestamptz,
     homepage text,
     metadata jsonb,
     min_delay_ms integer,
     threads smallint,
     drain boolean not null default false,
     blocked_by text,
     dns_failures integer not null default 0,
     dns_checked_at timestamptz,
     hostdb jsonb,
     hostdb_at timestamptz,
     fetch_delay_ms integer,
     primary key (crawl, host),
     constraint host_blocked_by check (blocked_by in ('hand', 'back-off'))
   ) with (fillfactor = 70)`,
  // Row keys sort as `host:…`, which differs from the order of hosts if one is a prefix of another.
  `create index host_in_key_order on host (crawl, (host || ':'))`,
  `create index host_held on host (crawl, host) where drain or blocked_until is not null`,
  `create index host_fetch_delay on host (crawl, host) where fetch_delay_ms is not null`,
  `create table robots (
     host text collate "C" not null, origin text collate "C" not null,
     fetched_at timestamptz not null, expires_at timestamptz not null,
     http_status smallint,
     error text,
     body bytea,
     failures integer not null default 0,
     crawl_delay double precision,
     failing_since timestamptz,
     primary key (host, origin)
   )`,
  `create table politeness (
     queue_id text collate "C" primary key,
     owner text not null,
     lease_until timestamptz not null, next_at timestamptz not null,
     blocked_until timestamptz,
     delay_ms integer not null default 0,
     wanted_by text collate "C",
     wanted_until timestamptz
   ) with (fillfactor = 50)`,
  `create table sitemap (
     crawl integer not null,
     depth smallint not null default 0,
     http_status smallint,
     position integer not null default 0,
     entries integer,
     fetched_at timestamptz,
     host text collate "C" not null, url text collate "C" not null, source text collate "C" not null,
     found_in text collate "C",
     vouched_by text,
     wanted_by text collate "C",
     done_by text, status text, error text, etag text, last_modified text,
     primary key (crawl, host, url),
     constraint sitemap_source check (source in ('seed', 'argument', 'robots', 'default', 'index', 'host'))
   )`,
  `create index sitemap_wanted on sitemap (crawl, wanted_by, host) where wanted_by is not null`,
  `create index sitemap_found_in on sitemap (crawl, found_in) where found_in is not null`,
  `create table url_template (
     crawl integer not null,
     host text collate "C" not null, template text collate "C" not null,
     added bigint not null default 0, refused bigint not null default 0, seen bigint not null default 0,
     similar_pages bigint not null default 0,
     samples text[] not null default '{}',
     stopped_at timestamptz,
     primary key (crawl, host, template)
   ) with (fillfactor = 70)`,
];

const down = ['drop table url_template, sitemap, politeness, robots, host'];

export class Hosts1764900000000 implements MigrationInterface {
  readonly name = 'Hosts1764900000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
