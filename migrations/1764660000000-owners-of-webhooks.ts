import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who made a webhook: its URL is shown to them and to admins. Null: made before, or without a key; then to admins alone. */
export class OwnersOfWebhooks1764660000000 implements MigrationInterface {
  readonly name = 'OwnersOfWebhooks1764660000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table webhook add column owner text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table webhook drop column owner');
  }
}
