import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What INVERTLINKS and DEDUP read by. */
const up: string[] = [];

const down: string[] = [];

export class Links1763800000002 implements MigrationInterface {
  readonly name = 'Links1763800000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
