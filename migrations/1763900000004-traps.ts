import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is known of the URL templates of a host, where a budget is set (`trap.*`): URLs added, pages seen and how many of
 * them were near duplicates of the samples. `stopped_at`: no further URLs of the template are added.
 */
const up = [
  `create table url_template (
     crawl integer not null,
     host text collate "C" not null,
     template text collate "C" not null,
     added bigint not null default 0,
     refused bigint not null default 0,
     seen bigint not null default 0,
     similar_pages bigint not null default 0,
     samples text[] not null default '{}',
     stopped_at timestamptz,
     primary key (crawl, host, template)
   ) with (fillfactor = 70)`,
];

const down = [`drop table url_template`];

export class Traps1763900000004 implements MigrationInterface {
  readonly name = 'Traps1763900000004';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
