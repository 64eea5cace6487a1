import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when the robots.txt of an origin cannot be had: what fails for long counts as no file. */
export class RobotsFailingSince1764300000000 implements MigrationInterface {
  readonly name = 'RobotsFailingSince1764300000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table robots add column failing_since timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table robots drop column failing_since');
  }
}
