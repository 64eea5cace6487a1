import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The built-in index of documents: segments of postings as bytes (docs/search.md). `removed_document` has the documents whose pages
 * were deleted from the table: CLEAN deletes them from every index writer. `document_due` has the pages that the next INDEX of a
 * CRAWL takes.
 */
const up = [
  `create sequence search_segment_number as integer`,
  `create table search_segment (
     crawl integer not null,
     seg integer not null,
     documents integer not null,
     live_documents integer not null,
     generation integer not null,
     sums bigint[] not null,
     live bytea not null,
     columns bytea not null,
     primary key (crawl, seg)
   )`,
  `create table search_posting (
     crawl integer not null,
     seg integer not null,
     term text collate "C" not null,
     post bytea not null,
     pos bytea not null,
     primary key (crawl, seg, term)
   )`,
  `create table search_stored (
     crawl integer not null,
     seg integer not null,
     block integer not null,
     fields bytea not null,
     primary key (crawl, seg, block)
   )`,
  `create table search_doc (
     crawl integer not null,
     id uuid not null,
     seg integer not null,
     doc integer not null,
     primary key (crawl, id)
   )`,
  `create table removed_document (
     crawl integer not null,
     host text collate "C" not null,
     key text collate "C" not null,
     primary key (crawl, host, key)
   )`,
  `create table document_due (
     crawl integer not null,
     noted_at timestamptz not null,
     host text collate "C" not null,
     key text collate "C" not null,
     primary key (crawl, host, key)
   )`,
  // These values are already compressed, or cannot be compressed.
  `alter table search_segment alter column columns set storage external, alter column live set storage external`,
  `alter table search_posting alter column post set storage external, alter column pos set storage external`,
  `alter table search_stored alter column fields set storage external`,
];

const down = [
  'drop table document_due, removed_document, search_doc, search_stored, search_posting, search_segment',
  'drop sequence search_segment_number',
];

export class Search1764900000006 implements MigrationInterface {
  readonly name = 'Search1764900000006';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
