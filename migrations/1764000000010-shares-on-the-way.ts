import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Shares of links that lead to other hosts, between the transaction that closes their page and the one that pays them
 * (UPDATEDB). Few rows of long arrays, for minutes: no table that grows with the web. Arrays are stored as they are, as
 * compressing them would cost more than it saves.
 */
const up: string[] = [
  `create table share_on_the_way (
     crawl integer not null,
     id bigint generated always as identity,
     part integer not null,
     targets integer not null,
     keys text[] collate "C" not null,
     shares double precision[] not null,
     distances integer[] not null,
     kinds text[] not null,
     primary key (crawl, id)
   )`,
  'alter table share_on_the_way alter column keys set storage external',
  'alter table share_on_the_way alter column shares set storage external',
  'alter table share_on_the_way alter column distances set storage external',
  'alter table share_on_the_way alter column kinds set storage external',
];

const down: string[] = ['drop table share_on_the_way'];

export class SharesOnTheWay1764000000010 implements MigrationInterface {
  readonly name = 'SharesOnTheWay1764000000010';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
