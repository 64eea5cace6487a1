import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The line of robots.txt that forbade the last visit of a page; the protocol arguments have it in words only. */
const up = [`alter table webpage add column robots_line jsonb`];

const down = [`alter table webpage drop column robots_line`];

export class RobotsLine1764800000014 implements MigrationInterface {
  readonly name = 'RobotsLine1764800000014';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
