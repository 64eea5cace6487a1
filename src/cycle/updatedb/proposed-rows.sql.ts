/**
 * The rows that UPDATEDB upserts, from CTEs `own` (pages of the chunk) and `target` (targets of links), and how they are
 * merged.
 */
import { MAX_INT32 } from '../../core/int32.js';
import { type Fragment, fragment } from '../../db/sql.js';
import { RANK_SLACK, rankOf } from '../../webpage/rank.sql.js';
import type { LinksInDocuments } from '../../plugin/indexing-filters.js';
import type { Rewrites } from '../filter-links.js';
import { visitsBeforePurge } from '../purged-pages.sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { samePageAs } from '../../webpage/page-key.sql.js';

export interface LinkOptions {
  crawl: number;
  /** Ranks from this one on follow scores at once (`exactFrom`). */
  exactFrom: number;
  /** Links may add new URLs to the table (`db.update.additions.allowed`). */
  additions: boolean;
  /** Seconds until a new page is fetched again. */
  interval: number;
  /** Links inside a host make no inlinks (`db.ignore.internal.links`). */
  ignoreInternal: boolean;
  /** Maximum number of inlinks of a page; the best-scored stay (`db.update.max.inlinks`). */
  maxInlinks: number;
  /** Links that lead elsewhere, or nowhere, by the present URL rules. */
  rewrites?: Rewrites;
  /** Links to missing rows add none if the newest visit since then found the page gone, or failed: it was purged. */
  purgedSince?: Date;
  /** Pages give new targets an initial score beside their contributions, and metadata (`start`, `carried` of a distribution). */
  initialValues?: boolean;
  /** Record when pages were last linked to. */
  dated?: boolean;
  /** Record the cash that pages distribute. */
  history?: boolean;
  /** Return the pages whose documents change, if these have inlinks. */
  inDocuments?: LinksInDocuments | undefined;
  /**
   * Contributions to other hosts are not added but returned, for this number of partitions; so are the pages whose inlinks are to
   * be counted.
   */
  pendingFor?: number;
}

/** Of several linking pages the nearest to a seed gives its metadata. */
export const initialValuesOfTarget = fragment`, max(start) as start,
             (array_agg(carried order by distance, source) filter (where carried <> '{}'::jsonb))[1] as carried`;

/**
 * CTEs up to `link`: those of `linkRows` (host, key, …) that lead to known pages, or to new ones if additions are allowed,
 * except those that were purged. Each joins the large tables by an inner join: an outer one would copy them to one node.
 */
export function mayEnter({ crawl, additions, purgedSince }: LinkOptions, linkRows: Fragment): Fragment {
  if (additions && purgedSince === undefined) return fragment`link as materialized (${linkRows})`;
  const orNeverPurged = fragment`, gone as materialized (${visitsBeforePurge(purgedSince ?? null)}
    ), entering as materialized (
      select named_page.host, named_page.key
        from named_page left join known using (host, key) left join gone using (host, key)
       where known.key is not null or gone.key is null)`;
  return fragment`written_link as materialized (${linkRows}
    ), named_page as materialized (select distinct ${crawl}::int as crawl, host, key from written_link
    ), known as materialized (
      select w.host, w.key from named_page join webpage w on ${samePageAs('named_page')})
    ${additions ? orNeverPurged : fragment``}, link as materialized (
      select written_link.*
        from written_link join ${additions ? fragment`entering` : fragment`known`} as may on may.host = written_link.host and may.key = written_link.key)`;
}

const isOwn = fragment`excluded.spend_distance is not null`;
/** In the place of an etag, which is not proposed otherwise: clear signature and validators. */
const CLEAR_VALIDATORS = 'clear';

/** The score of a proposed row: for a new page its contributions and its initial score, for a known one its contributions. */
const startScore = (options: LinkOptions): Fragment =>
  options.initialValues
    ? fragment`(share + case when status is null then coalesce(start, 0) else 0 end)`
    : fragment`share`;
/** The contributions of links to a known page: the cash of a proposed row, except for the chunk's own pages. */
const gained = (options: LinkOptions): Fragment =>
  options.initialValues
    ? fragment`(case when ${isOwn} then excluded.score else excluded.cash end)`
    : fragment`excluded.score`;
const newRank = (options: LinkOptions): Fragment => rankOf(fragment`(w.score + ${gained(options)})`);
/** History of the OPIC paper: the frozen cash, minus what was returned. */
const distributed = fragment`, history = case when ${isOwn}
           then coalesce(w.history, 0) + coalesce(w.spend, 0) - (excluded.cash - excluded.score) else w.history end`;

/** In the order of the primary key. Of two keys with one hash only one is proposed: one statement may not write a row twice. */
const proposed = (options: LinkOptions): Fragment => fragment`(
  select distinct on (host, key_hash) *
    from (select coalesce(target.host, own.host) collate "C" as host, coalesce(target.key, own.key) collate "C" as key,
                 hashtextextended(coalesce(target.key, own.key) collate "C", 0) as key_hash, coalesce(target.share, 0) as share, target.distance, target.kind,
                 own.status, own.fetch_time, own.prev_fetch_time, own.fetch_interval, own.retries, own.modified_time,
                 own.prev_modified_time, own.given_back, own.unconditional, target.key is not null as linked
                 ${options.initialValues ? fragment`, target.start, target.carried` : fragment``}
            from target full join own on own.host = target.host and own.key = target.key) joined
   order by host, key_hash, status, key) proposed`;

/**
 * Inserts or updates the proposed rows in the order of the primary key; returns the hosts, and whether each row is new. The
 * update depends on the two rows alone, as an update on many nodes must not read the clock: a page that is due has a rank.
 */
export const upsertProposed = (options: LinkOptions): Fragment => fragment`
  insert into webpage as w (crawl, host, key, status, fetch_time, fetch_interval, score, cash, rank, distance, source_kind,
                            prev_fetch_time, retries_since_fetch, modified_time, prev_modified_time, spend_distance, etag
                            ${options.initialValues ? fragment`, metadata` : fragment``} ${options.dated ? fragment`, last_inlink` : fragment``})
  select ${options.crawl}, host, key, coalesce(status, ${statusOf('unfetched')}), coalesce(fetch_time, now()), coalesce(fetch_interval, ${options.interval}::int),
         ${startScore(options)}, share + coalesce(given_back, 0), case when fetch_time is null or fetch_time <= now() then ${rankOf(startScore(options))} end,
         coalesce(distance, ${MAX_INT32}::int), coalesce(kind, 'link'), prev_fetch_time, coalesce(retries, 0), modified_time, prev_modified_time,
         case when status is not null then 0 end, case when unconditional then ${CLEAR_VALIDATORS} end
         ${options.initialValues ? fragment`, case when status is null then carried end` : fragment``}
         ${options.dated ? fragment`, case when linked then now() end` : fragment``}
    from ${proposed(options)} order by host, key_hash
  on conflict (crawl, host, key_hash) do update
     set score = w.score + ${gained(options)}, cash = w.cash + excluded.cash, distance = least(w.distance, excluded.distance),
         rank = case when ${isOwn} then case when excluded.rank is not null then ${newRank(options)} end
                     when w.rank is null then null
                     when ${newRank(options)} >= ${options.exactFrom}::int or abs(${newRank(options)} - w.rank) > ${RANK_SLACK}::int then ${newRank(options)}
                     else w.rank end,
         status = case when ${isOwn} then excluded.status else w.status end,
         fetch_time = case when ${isOwn} then excluded.fetch_time else w.fetch_time end,
         prev_fetch_time = case when ${isOwn} then excluded.prev_fetch_time else w.prev_fetch_time end,
         fetch_interval = case when ${isOwn} then excluded.fetch_interval else w.fetch_interval end,
         retries_since_fetch = case when ${isOwn} then excluded.retries_since_fetch else w.retries_since_fetch end,
         modified_time = case when ${isOwn} then excluded.modified_time else w.modified_time end,
         prev_modified_time = case when ${isOwn} then excluded.prev_modified_time else w.prev_modified_time end,
         spend = case when ${isOwn} then null else w.spend end,
         spend_distance = case when ${isOwn} then null else w.spend_distance end,
         signature = case when excluded.etag = ${CLEAR_VALIDATORS} then null else w.signature end,
         etag = case when excluded.etag = ${CLEAR_VALIDATORS} then null else w.etag end,
         last_modified = case when excluded.etag = ${CLEAR_VALIDATORS} then null else w.last_modified end,
         update_mark = case when ${isOwn} then coalesce(w.parse_mark, w.update_mark) else w.update_mark end,
         generate_mark = case when ${isOwn} then null else w.generate_mark end,
         fetch_mark = case when ${isOwn} then null else w.fetch_mark end,
         parse_mark = case when ${isOwn} then null else w.parse_mark end
         ${options.dated ? fragment`, last_inlink = coalesce(excluded.last_inlink, w.last_inlink)` : fragment``}
         ${options.history ? distributed : fragment``}
   where w.key = excluded.key
  returning w.host, (xmax = 0) as added`;
