import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Objects of clients to which jobs refer: configurations, seed lists, and rule files for the properties that name a file
 * (`urlfilter.regex.file` and similar ones). Small tables, local to one node.
 *
 * Lists for the inline seeds of a job (`inline`), and snapshots of configurations that no request has used for a while
 * (`used_at`), are deleted with the jobs that refer to them.
 */
const up = [
  `create table crawl_conf (
     id text collate "C" primary key,
     params jsonb not null,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now()
   )`,
  `create table conf_snapshot (
     hash text primary key,
     params jsonb not null,
     used_at timestamptz not null default now()
   )`,
  `create table seed_list (
     name text collate "C" primary key,
     id bigint,
     created_at timestamptz not null default now(),
     inline boolean not null default false
   )`,
  `create index seed_list_inline on seed_list (created_at) where inline`,
  `create table seed_url (
     list text collate "C" not null references seed_list (name) on delete cascade,
     position integer not null,
     id bigint,
     line text not null,
     primary key (list, position)
   )`,
  `create table rule_file (
     created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
     name text collate "C" primary key,
     content text not null
   )`,
];

const down = ['drop table rule_file, seed_url, seed_list, conf_snapshot, crawl_conf'];

export class Configurations1764900000003 implements MigrationInterface {
  readonly name = 'Configurations1764900000003';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
