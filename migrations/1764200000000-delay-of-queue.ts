import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rest that the holder of a fetch queue keeps after each request: when it dies, whoever comes next keeps it, too. */
export class DelayOfQueue1764200000000 implements MigrationInterface {
  readonly name = 'DelayOfQueue1764200000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table politeness add column delay_ms integer not null default 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table politeness drop column delay_ms`);
  }
}
