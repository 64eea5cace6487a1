import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names of the metadata that the last parse of a page has set, so that the next one can remove what the page no longer declares. */
const up = [`alter table webpage add column parse_metadata text[]`];

const down = [`alter table webpage drop column parse_metadata`];

export class ParseMetadata1764800000012 implements MigrationInterface {
  readonly name = 'ParseMetadata1764800000012';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
