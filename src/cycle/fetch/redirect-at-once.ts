/**
 * Redirects followed at once (`http.redirect.max` above 0): the target joins the batch of the redirecting page, and is then a
 * page like any other, with the rules, robots.txt and the queue of its own host; a later attempt finds it in the batch. A
 * target that is not due, or already in a batch, does not join: no page is visited twice in a run. Scoring filters decide as in
 * UPDATEDB: a redirect is a link.
 */
import type { Conf } from '../../core/conf/properties.js';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { type Distribution, keepingAll } from '../../core/score/scoring.js';
import { REPRESENTATIVE_KEY } from '../../core/url/representative.js';
import { hostKeyOf, unreverseUrl } from '../../core/url/row-key.js';
import { type Sql, fragment, row } from '../../db/sql.js';
import type { Scoring } from '../../plugin/scoring.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host.store.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { ofKind } from '../batch-marks.js';
import type { Run } from '../step.js';
import { redirectTime } from '../../core/url/redirect-rules.js';
import { type Visited, type Waiting, validators } from './fetch.sql.js';
import { isPage } from '../../webpage/page-key.sql.js';
import { isInBatch } from '../../webpage/batch-marks.sql.js';

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

/**
 * The target of a redirect that is to be followed in this run, after `hops` others; null without one, or after too many. A
 * redirect that is never to be followed is removed from the visit.
 *
 * @param isNew whether a target was not met before: scoring filters may reject it for one page and accept it for another, so only
 * without them is it tried just once
 */
export function targetNow(
  visit: Visited,
  hops: number,
  { conf, sitemap, isNew }: { conf: Conf; sitemap: boolean | null; isNew: (key: string) => boolean },
): string | null {
  const time = redirectTime(hops, conf);
  const target = visit.redirectKey;
  if (time === 'never') visit.redirectKey = null;
  // If only sitemaps are fetched, the target is a page for another FETCH.
  if (time !== 'now' || target === null || sitemap === true) return null;
  return isNew(target) ? target : null;
}

/**
 * Adds the target to the batch. `joined` is called before reads of the batch can return it.
 * @returns the target as a waiting page, or null if it did not join
 */
export function joinBatch(run: Run, redirect: Redirect, joined: (page: Waiting) => void): Promise<Waiting | null> {
  const { crawl } = run.job;
  return run.write(async (tx, count) => {
    const source = await readSource(tx, crawl, redirect);
    if (!source) return null;
    const shares = distribution(source, redirect);
    if (!shares.follow) return null;
    const interval = run.conf['db.fetch.interval.default'];
    const taken = await takeTarget(tx, { ...redirect, crawl, interval }, { ...source, shares });
    if (!taken) return null;
    if (taken.added) {
      const deltas = new StatusDeltas();
      deltas.move(taken.page.host, null, PAGE_STATUS.unfetched);
      await addStatusDeltas(tx, crawl, deltas);
    }
    count('Fetcher', 'selected');
    count('Fetcher', 'joined');
    joined(taken.page);
    return taken.page;
  });
}

interface Source {
  distance: number;
  hash: number | null;
  spend: number;
  metadata?: Record<string, string> | null;
  contentScore?: number | null;
}

/** What the page that redirects will distribute; undefined: it has left its batch. */
function readSource(tx: Sql, crawl: number, { source, scoring }: Redirect): Promise<Source | undefined> {
  const wide = scoring.readsPages ? fragment`, metadata, content_score as "contentScore"` : fragment``;
  return row<Source>(
    tx,
  )`select coalesce(spend_distance, distance) as distance, partition_hash as hash, coalesce(spend, 0) as spend ${wide}
          from webpage w
         where ${isPage(crawl, source)}
           and ${isInBatch(source.mark)}`;
}

/** The distribution that UPDATEDB will compute for the source: without headers and content, which it will not have either. */
function distribution(from: Source, { source, noted, scoring }: Redirect): Distribution {
  const { spend, distance, metadata, contentScore } = from;
  const page = {
    url: unreverseUrl(source.key),
    spend,
    outlinks: 1,
    links: 1,
    distance,
    contentScore: contentScore ?? 0,
    metadata: { ...metadata, ...noted },
    headers: {},
  };
  return scoring.distribute(page, keepingAll(spend));
}

/**
 * Adds a new page, with the initial score of the scoring filters, or selects a known one that is selectable, in the partition of
 * the redirecting page. UPDATEDB adds its contribution.
 */
async function takeTarget(
  tx: Sql,
  to: Pick<Redirect, 'target' | 'source' | 'sitemap' | 'reprUrl'> & { crawl: number; interval: number },
  from: Source & { shares: Distribution },
): Promise<{ page: Waiting; added: boolean } | undefined> {
  const distance = from.distance + 1;
  const { mark } = to.source;
  const { start, carried } = from.shares;
  const named = to.reprUrl === null ? null : { [REPRESENTATIVE_KEY]: to.reprUrl };
  const given = { ...carried, ...named };
  const metadata = Object.keys(given).length === 0 ? null : JSON.stringify(given);
  const found = await row<Waiting & { added: boolean }>(tx)`
    insert into webpage as w (crawl, host, key, status, fetch_time, fetch_interval, score, cash, distance, source_kind,
                              generate_mark, batch_id, partition_hash, spend, spend_distance, metadata)
    values (${to.crawl}, ${hostKeyOf(to.target)}, ${to.target}, ${statusOf('unfetched')}, now(), ${to.interval}, ${start}, 0, ${distance}, 'redirect',
            ${mark}, ${mark}, ${from.hash}, 0, ${distance}, ${metadata}::jsonb)
    on conflict (crawl, host, key_hash) do update
       set generate_mark = excluded.generate_mark, batch_id = excluded.batch_id, partition_hash = excluded.partition_hash,
           rank = null, spend = w.cash, cash = 0, spend_distance = w.distance,
           metadata = case when ${named !== null} then coalesce(w.metadata, '{}'::jsonb) || ${JSON.stringify(named ?? {})}::jsonb else w.metadata end
     where w.key = excluded.key and w.rank is not null and ${ofKind(to.sitemap, fragment`w.inject_mark`)}
    returning w.generate_mark as mark, hashtext(w.key) as hash, w.key, w.host, w.status, w.score, w.signature,
              w.parse_major is null as unparsed, w.metadata->>${REPRESENTATIVE_KEY} as representative, ${validators}, (xmax = 0) as added`;
  if (!found) return undefined;
  const { added, ...page } = found;
  return { page, added };
}
