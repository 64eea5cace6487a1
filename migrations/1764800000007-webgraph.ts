import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Results of LINKRANK and similar jobs for pages. The key is that of `webpage`, so the tables are joined by merging. Each run changes
 * most columns of a row; none of them is indexed, and the fillfactor leaves free space: so updates are HOT and write no index.
 */
export class Webgraph1764800000007 implements MigrationInterface {
  readonly name = 'Webgraph1764800000007';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table webgraph_node (
        crawl integer not null,
        num_inlinks integer, num_outlinks integer,
        key_hash bigint not null generated always as (hashtextextended(key, 0)) stored,
        link_rank double precision, page_rank double precision, hub double precision, authority double precision,
        host text collate "C" not null, key text collate "C" not null,
        primary key (crawl, host, key_hash)
      ) with (fillfactor = 70)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table webgraph_node');
  }
}
