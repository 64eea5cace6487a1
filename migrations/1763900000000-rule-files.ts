import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rule files that clients store by name, for the properties that name a file (`urlfilter.regex.file` and its like). */
const up: string[] = [
  `create table rule_file (
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     name text collate "C" primary key,
     content text not null
   )`,
];

const down: string[] = ['drop table rule_file'];

export class RuleFiles1763900000000 implements MigrationInterface {
  readonly name = 'RuleFiles1763900000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
