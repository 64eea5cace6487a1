/** The two pages of a redirect that is followed at once (redirect-at-once.ts). */
import type { Distribution } from '../../core/score/scoring-filter.js';
import { REPRESENTATIVE_KEY } from '../../core/url/representative.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import { type Sql, count, fragment, row } from '../../db/sql.js';
import type { Scoring } from '../../plugin/scoring-filters.js';
import { isInBatch } from '../../webpage/batch-marks.sql.js';
import { isPage } from '../../webpage/page-key.sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { ofKind } from '../batch-chunks.sql.js';
import { type Waiting, validators } from './fetch.sql.js';

export interface Redirect {
  source: Waiting;
  /** Row key. */
  target: string;
  /** Metadata that the visit adds to the source. */
  noted: Readonly<Record<string, string>>;
  /** Representative URL of the source and the target. */
  reprUrl: string | null;
  /** The kind of pages that the job fetches (`ChunkQuery`). */
  sitemap: boolean | null;
  scoring: Scoring;
}

export interface RedirectSource {
  distance: number;
  hash: number | null;
  spend: number;
  metadata?: Record<string, string> | null;
  contentScore?: number | null;
}

/** What the page that redirects will distribute; undefined: it has left its batch. It stays there until the transaction ends. */
export function readSource(
  tx: Sql,
  crawl: number,
  { source, scoring }: Pick<Redirect, 'source' | 'scoring'>,
): Promise<RedirectSource | undefined> {
  const wide = scoring.readsPages ? fragment`, metadata, content_score as "contentScore"` : fragment``;
  return row<RedirectSource>(
    tx,
  )`select coalesce(spend_distance, distance) as distance, partition_hash as hash, coalesce(spend, 0) as spend ${wide}
          from webpage w
         where ${isPage(crawl, source)}
           and ${isInBatch(source.mark)} for update`;
}

/** Whether the target of a redirect is a page already. */
export const isKnownTarget = async (tx: Sql, crawl: number, { target }: Pick<Redirect, 'target'>): Promise<boolean> =>
  (await row(tx)`select from webpage w where ${isPage(crawl, { host: hostKeyOf(target), key: target })}`) !== undefined;

/**
 * Adds a new page, with the initial score of the scoring filters, or selects a known one that is selectable, in the partition of
 * the redirecting page. `contribution`: the cash that the target distributes in this batch.
 */
export async function takeTarget(
  tx: Sql,
  to: Pick<Redirect, 'target' | 'source' | 'sitemap' | 'reprUrl'> & { crawl: number; interval: number },
  from: RedirectSource & { shares: Distribution; contribution: number },
): Promise<{ page: Waiting; added: boolean } | undefined> {
  const distance = from.distance + 1;
  const { mark } = to.source;
  const { start, carried } = from.shares;
  const named = to.reprUrl === null ? null : { [REPRESENTATIVE_KEY]: to.reprUrl };
  const merged = { ...carried, ...named };
  const metadata = Object.keys(merged).length === 0 ? null : JSON.stringify(merged);
  const taken = await row<Waiting & { added: boolean }>(tx)`
    insert into webpage as w (crawl, host, key, status, fetch_time, fetch_interval, score, cash, distance, source_kind,
                              generate_mark, batch_id, partition_hash, spend, spend_distance, metadata)
    values (${to.crawl}, ${hostKeyOf(to.target)}, ${to.target}, ${statusOf('unfetched')}, now(), ${to.interval}, ${start + from.contribution}, 0, ${distance}, 'redirect',
            ${mark}, ${mark}, ${from.hash}, ${from.contribution}, ${distance}, ${metadata}::jsonb)
    on conflict (crawl, host, key_hash) do update
       set generate_mark = excluded.generate_mark, batch_id = excluded.batch_id, partition_hash = excluded.partition_hash,
           rank = null, score = w.score + ${from.contribution}, spend = w.cash + ${from.contribution}, cash = 0, spend_distance = w.distance,
           metadata = case when ${named !== null} then coalesce(w.metadata, '{}'::jsonb) || ${JSON.stringify(named ?? {})}::jsonb else w.metadata end
     where w.key = excluded.key and w.rank is not null and ${ofKind(to.sitemap, fragment`w.inject_mark`)}
    returning w.generate_mark as mark, hashtext(w.key) as hash, w.key, w.host, w.status, w.score, w.signature,
              w.parse_major is null as unparsed, w.metadata->>${REPRESENTATIVE_KEY} as representative, ${validators}, (xmax = 0) as added`;
  if (!taken) return undefined;
  const { added, ...page } = taken;
  return { page, added };
}

/** The page that redirects has nothing left to distribute. */
export const emptySpend = (tx: Sql, crawl: number, { source }: Pick<Redirect, 'source'>): Promise<number> =>
  count(tx)`update webpage w set spend = 0 where ${isPage(crawl, source)} and ${isInBatch(source.mark)}`;
