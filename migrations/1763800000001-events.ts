import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events of a crawl in one order, webhooks that tell of them, and requests that may be repeated. */
const up: string[] = [];

const down: string[] = [];

export class Events1763800000001 implements MigrationInterface {
  readonly name = 'Events1763800000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
