import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which task waits for a fetch queue of another one, and until when that counts: its holder gives it over between two requests. */
export class WantedQueues1764600000000 implements MigrationInterface {
  readonly name = 'WantedQueues1764600000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table politeness add column wanted_by text collate "C", add column wanted_until timestamptz`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table politeness drop column wanted_by, drop column wanted_until`);
  }
}
