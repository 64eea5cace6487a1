import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The links of a page as its inlinks have them, where it was read again and other links were found since: UPDATEDB and
 * INVERTLINKS take away the inlinks of those that are gone. No index of inlinks by the page that links: each inlink would pay
 * for it, as new entries of indexes are the dearest part of storing one, and few are ever taken away.
 */
export class FormerLinks1764670000000 implements MigrationInterface {
  readonly name = 'FormerLinks1764670000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table page_content add column former_outlink_keys text[] collate "C"');
    await queryRunner.query('alter table page_content alter column former_outlink_keys set statistics 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table page_content drop column former_outlink_keys');
  }
}
