import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ranks tell scores apart that differ by 6e-8 (before: by 0.07 %), and a crawl knows from which rank on they follow the scores
 * exactly (src/webpage/exact-ranks.ts). A server of the version before writes ranks of the old scale: the order of its pages
 * is wrong until they are next in a batch, and nothing else.
 */
const statements = [
  `alter table crawl add column exact_from int not null default 2147483647,
                     add column settled_from int not null default -2147483648`,
  `update webpage set rank = (ln(least(greatest(score, 1e-30::float8), 1e50::float8)) * 16777216)::int where rank is not null`,
];
export class ExactRanks1764662000000 implements MigrationInterface {
  readonly name = 'ExactRanks1764662000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of statements) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `update webpage set rank = (ln(greatest(score, 1e-30::float8)) * 1477)::int where rank is not null`,
    );
    await queryRunner.query('alter table crawl drop column exact_from, drop column settled_from');
  }
}
