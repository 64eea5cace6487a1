import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Pages whose content was cut are few, and readers of the table want to know them: an index of these alone, so that a list of
 * pages need not look at each page's row of contents. `v_pages` shows the reason.
 */
const viewOf = (last: string) =>
  `create or replace view v_pages as
     select c.name as crawl_id, w.key, w.host, h.domain, w.status, w.fetch_time, w.prev_fetch_time, w.fetch_interval,
            w.retries_since_fetch, w.modified_time, w.score, w.distance, w.source_kind,
            w.batch_id, w.inject_mark, w.generate_mark, w.fetch_mark, w.parse_mark, w.update_mark, w.index_mark,
            w.protocol_code, w.protocol_args, w.http_status, w.parse_major, w.parse_minor, w.parse_args,
            w.signature, w.content_type, w.base_url, w.repr_url, w.redirect_url, w.title, w.metadata,
            p.headers, p.outlink_keys, p.outlink_anchors, p.content_length, p.text_length, p.charset${last}
       from webpage w
       join crawl c on c.id = w.crawl
       left join host h on h.crawl = w.crawl and h.host = w.host
       left join page_content p on p.crawl = w.crawl and p.host = w.host and p.key = w.key`;

export class CutContents1764662500000 implements MigrationInterface {
  readonly name = 'CutContents1764662500000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'create index page_content_cut on page_content (crawl, host, key) include (truncated) where truncated is not null',
    );
    await queryRunner.query(viewOf(', p.truncated'));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop view v_pages');
    await queryRunner.query(viewOf(''));
    await queryRunner.query('drop index page_content_cut');
  }
}
