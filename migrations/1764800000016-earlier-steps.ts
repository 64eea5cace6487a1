import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The older steps of a continuous crawl, joined: its next step is chosen without reading tens of thousands of jobs. */
const up = [`alter table job add column earlier_steps jsonb`];

const down = [`alter table job drop column earlier_steps`];

export class EarlierSteps1764800000016 implements MigrationInterface {
  readonly name = 'EarlierSteps1764800000016';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
