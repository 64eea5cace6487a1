import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Segments that stay whole behind UPDATEDB. Pages that were parsed are found by their update mark; `webpage_unparsed` finds
 * the others of a closed batch (redirects, failures, what was not fetched) by the batch they were in last. They are few, so
 * it costs the pages of a batch that were parsed nothing.
 *
 * `v_inlinks` shows links with the segment of their target; `-1` where nothing was fetched there yet.
 */
const up = [
  `create index webpage_unparsed on webpage (crawl, (batch_id collate "C"))
    where generate_mark is null and batch_id is not null and update_mark is distinct from batch_id collate "C"`,
  `create view v_inlinks as
     select c.name as crawl_id, i.host, i.key as target, i.source, i.anchor, i.score,
            coalesce(b.segment, coalesce(w.fetch_mark, w.update_mark, case when w.protocol_code is not null then w.batch_id end) collate "C",
                     '-1') as segment
       from inlink i
       join crawl c on c.id = i.crawl
       left join webpage w on w.crawl = i.crawl and w.host = i.host and w.key = i.key
       left join batch b on b.crawl = w.crawl
        and b.id = coalesce(w.fetch_mark, w.update_mark, case when w.protocol_code is not null then w.batch_id end) collate "C"`,
];

const down = ['drop view v_inlinks', 'drop index webpage_unparsed'];

export class Segments1764630000000 implements MigrationInterface {
  readonly name = 'Segments1764630000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}
