/** The number of pages of a batch in each of the six parts that a segment of Nutch 1.x has. */
import type { Pool } from 'pg';
import { PAGE_STATUS } from '../core/page/page-status.js';
import { slowRows } from '../db/slow-rows.js';
import { sql } from '../db/sql.js';
import type { MadeBatch } from './batch-visits.sql.js';
import { closedUnparsed } from './batch.store.js';

/** In the order in which a round fills them. */
export const SEGMENT_PARTS = [
  'crawl_generate',
  'crawl_fetch',
  'content',
  'crawl_parse',
  'parse_data',
  'parse_text',
] as const;
export type SegmentPart = (typeof SEGMENT_PARTS)[number];

/** Parts of a dump: those of a segment, and the links to its pages, which 1.x has in the linkdb alone. */
export const DUMP_PARTS = [...SEGMENT_PARTS, 'inlinks'] as const;
export type DumpPart = (typeof DUMP_PARTS)[number];

/** Names of parts in the first design of segments (2005), where content and inlinks have the names they have here. */
const FIRST_NAMES: ReadonlyMap<unknown, DumpPart> = new Map([
  ['fetchIn', 'crawl_generate'],
  ['fetchOut', 'crawl_fetch'],
  ['text', 'parse_text'],
  ['outlinks', 'parse_data'],
]);

/** The part of a dump that a name means. */
export const dumpPartNamed = (name: unknown): DumpPart | undefined =>
  FIRST_NAMES.get(name) ?? DUMP_PARTS.find((part) => part === name);

interface Counts {
  generated: number;
  fetched: number;
  content: number;
  parsed: number;
}

/**
 * Pages in each part. An open batch is counted by its marks; in a closed one UPDATEDB has marked parsed pages, and the visits
 * of the others are in the history. Pages that are in another batch since do not count.
 */
export async function countParts(pool: Pool, batch: MadeBatch): Promise<Record<SegmentPart, number>> {
  const { crawl, id, generatedAt = new Date(0) } = batch;
  const [counts] = await slowRows<Counts>(
    pool,
    sql`
    select count(*)::int as generated, count(*) filter (where fetched)::int as fetched,
           count(*) filter (where content)::int as content, count(*) filter (where parsed)::int as parsed
      from (select w.fetch_mark is not null as fetched, w.fetch_mark is not null and w.status = ${PAGE_STATUS.fetched} as content,
                   w.parse_mark is not null as parsed
              from webpage w where w.crawl = ${crawl} and w.generate_mark = ${id}
             union all
            select true, true, true
              from webpage w where w.crawl = ${crawl} and w.update_mark = ${id} and w.generate_mark is null
                               and w.batch_id collate "C" = ${id}
             union all
            -- The sum keeps the planner from reading the history of the whole crawl: see sameContent.
            select count(h.time) > 0, coalesce(bool_or(h.status = ${PAGE_STATUS.fetched}), false), false
              from webpage w
              left join fetch_history h on h.crawl = w.crawl + 0 and h.host = w.host and h.key = w.key
                                       and h.time >= ${generatedAt}::timestamptz
             where w.crawl = ${crawl} and ${closedUnparsed(id)}
             group by w.host, w.key) page`,
  );
  const { generated, fetched, content, parsed } = counts!;
  return {
    crawl_generate: generated,
    crawl_fetch: fetched,
    content,
    crawl_parse: parsed,
    parse_data: parsed,
    parse_text: parsed,
  };
}
