import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What scoring keeps besides score and cash. `history` is the cash that a page has handed out (OPIC of the textbook only),
 * `content_score` what its content added to its score, `last_inlink` when a page of a batch last linked to it
 * (scoring-orphan only). They are null while nobody asks for them, and cost nothing then.
 *
 * `simhash_band` finds the contents near to one (DEDUP): a SimHash of 64 bits stands in it four times, once under each 16 of
 * its bits, with whether its pages stay.
 */
const up: string[] = [
  'alter table webpage add column history double precision',
  'alter table webpage add column content_score double precision',
  'alter table webpage add column last_inlink timestamptz',
  `create index webpage_linked on webpage (crawl, last_inlink) where last_inlink is not null and status <> 8`,
  `create index webpage_orphan on webpage (crawl, host, key) where status = 8`,
  `create table simhash_band (
     crawl integer not null,
     kept boolean not null,
     place text collate "C" not null,
     band text collate "C" not null,
     signature text collate "C" not null,
     primary key (crawl, place, band, signature)
   )`,
  `create index simhash_band_kept on simhash_band (crawl, place, band) where kept`,
];

const down: string[] = [
  'drop table simhash_band',
  'drop index webpage_orphan',
  'drop index webpage_linked',
  'alter table webpage drop column last_inlink',
  'alter table webpage drop column content_score',
  'alter table webpage drop column history',
];

export class Scores1763900000002 implements MigrationInterface {
  readonly name = 'Scores1763900000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}
