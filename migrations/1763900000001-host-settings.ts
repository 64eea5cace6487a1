import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a host may be told by hand (threads, delays, drain, a block) and what its servers said (back-off, robots.txt that
 * cannot be had). `blocked_by` tells a block by hand, which only a hand takes away, from a back-off, which ends with the
 * first good answer. The few hosts that are held back have an index of their own: GENERATE asks for them each time.
 */
const up = [
  `alter table host add column min_delay_ms integer`,
  `alter table host add column threads smallint`,
  `alter table host add column drain boolean not null default false`,
  `alter table host add column blocked_by text`,
  `alter table host add constraint host_blocked_by check (blocked_by in ('hand', 'back-off'))`,
  `create index host_held on host (crawl, host) where drain or blocked_until is not null`,
  `alter table robots add column failures integer not null default 0`,
  `alter table robots add column crawl_delay double precision`,
  `alter table politeness add column blocked_until timestamptz`,
];

const down = [
  `alter table politeness drop column blocked_until`,
  `alter table robots drop column crawl_delay`,
  `alter table robots drop column failures`,
  `drop index host_held`,
  `alter table host drop column blocked_by`,
  `alter table host drop column drain`,
  `alter table host drop column threads`,
  `alter table host drop column min_delay_ms`,
];

export class HostSettings1763900000001 implements MigrationInterface {
  readonly name = 'HostSettings1763900000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
