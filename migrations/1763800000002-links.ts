import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What INVERTLINKS and DEDUP read by, and the batches that GENERATE made.
 *
 * `webpage_signature` finds the pages of one content; duplicates stand apart in it by their status, so that those that
 * may still be told apart are few however many there are. `signature_due` names the contents whose groups may have
 * changed since the last DEDUP: UPDATEDB adds those of its pages, those they had before too. `crawl.dedup_rules` tells by
 * which rules the last one went; by others it looks at all pages again.
 *
 * `batch` gives each batch the name that 1.x clients expect: a segment of 14 digits.
 */
const up: string[] = [
  `create index webpage_signature on webpage (crawl, hashtext(signature), status)
    where signature is not null and status in (2, 6, 7)`,
  `create table signature_due (
     crawl integer not null,
     noted_at timestamptz not null,
     host text collate "C" not null,
     signature text collate "C" not null,
     primary key (crawl, host, signature)
   )`,
  'alter table crawl add column dedup_rules text',
  `create table batch (
     crawl integer not null,
     segnum integer not null,
     pages integer not null,
     generated_at timestamptz not null,
     id text collate "C" not null,
     segment text collate "C" not null,
     primary key (crawl, id)
   )`,
  'create index batch_by_segment on batch (crawl, segment)',
];

const down: string[] = [
  'drop table batch',
  'alter table crawl drop column dedup_rules',
  'drop table signature_due',
  'drop index webpage_signature',
];

export class Links1763800000002 implements MigrationInterface {
  readonly name = 'Links1763800000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
