import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Links between pages, results of link analysis, and indexes of pages with the same or nearly the same content.
 *
 * `pending_contribution` has the contributions of links to other hosts, between the transaction that closes their page and the
 * one that adds them (UPDATEDB). It has few rows with long arrays, for minutes, and does not grow with the web. The arrays are
 * not compressed, which would cost more than it saves.
 *
 * `webgraph_node` has the results of LINKRANK and similar jobs for pages. The key is that of `webpage`, so the tables are joined by
 * merging. Each run changes most columns of a row; none of them is indexed, and the fillfactor leaves free space: so updates
 * are HOT and write no index.
 *
 * `signature_due` has the signatures whose groups may have changed since the last DEDUP: UPDATEDB adds the new and the former
 * signatures of its pages. `simhash_band` finds similar contents (DEDUP): it has each SimHash of 64 bits four times, by each
 * 16 of its bits, and whether its pages are kept.
 *
 * `v_inlinks` shows links with the segment of their target; `-1` if the target was not fetched yet.
 */
const up = [
  `create table inlink (
     crawl integer not null,
     score double precision not null,
     host text collate "C" not null, key text collate "C" not null, source text collate "C" not null,
     anchor text,
     primary key (crawl, host, key, source)
   )`,
  // No statement searches anchors.
  `alter table inlink alter column anchor set statistics 0`,
  `create table pending_contribution (
     crawl integer not null,
     id bigint generated always as identity,
     part integer not null, targets integer not null,
     keys text[] collate "C" not null,
     shares double precision[] not null,
     distances integer[] not null,
     kinds text[] not null,
     primary key (crawl, id)
   )`,
  `alter table pending_contribution
     alter column keys set storage external, alter column shares set storage external,
     alter column distances set storage external, alter column kinds set storage external`,
  `create table webgraph_node (
     crawl integer not null,
     num_inlinks integer, num_outlinks integer,
     key_hash bigint not null generated always as (hashtextextended(key, 0)) stored,
     link_rank double precision, page_rank double precision, hub double precision, authority double precision,
     host text collate "C" not null, key text collate "C" not null,
     primary key (crawl, host, key_hash)
   ) with (fillfactor = 70)`,
  `create table signature_due (
     crawl integer not null,
     noted_at timestamptz not null,
     host text collate "C" not null, signature text collate "C" not null,
     primary key (crawl, host, signature)
   )`,
  `create table simhash_band (
     crawl integer not null,
     kept boolean not null,
     place text collate "C" not null, band text collate "C" not null, signature text collate "C" not null,
     primary key (crawl, place, band, signature)
   )`,
  `create index simhash_band_kept on simhash_band (crawl, place, band) where kept`,
  `create view v_inlinks as
     select c.name as crawl_id, i.host, i.key as target, i.source, i.anchor, i.score,
            coalesce(b.segment, coalesce(w.fetch_mark, w.update_mark, case when w.protocol_code is not null then w.batch_id end) collate "C",
                     '-1') as segment
       from inlink i
       join crawl c on c.id = i.crawl
       left join webpage w on w.crawl = i.crawl and w.host = i.host and w.key_hash = hashtextextended(i.key, 0)
        and w.key = i.key
       left join batch b on b.crawl = w.crawl
        and b.id = coalesce(w.fetch_mark, w.update_mark, case when w.protocol_code is not null then w.batch_id end) collate "C"`,
];

const down = [
  'drop view v_inlinks',
  'drop table simhash_band, signature_due, webgraph_node, pending_contribution, inlink',
];

export class Links1764900000002 implements MigrationInterface {
  readonly name = 'Links1764900000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
