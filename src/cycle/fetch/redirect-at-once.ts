/**
 * Redirects followed at once (`http.redirect.max` above 0): the target joins the batch of the redirecting page, and is then a
 * page like any other, with the rules, robots.txt and the queue of its own host; a later attempt finds it in the batch. A
 * target that is not due, or already in a batch, does not join: no page is visited twice in a run. Scoring filters decide as in
 * UPDATEDB: a redirect is a link. So does `db.update.additions.allowed`: if it is false, only a known page joins.
 */
import type { Conf } from '../../core/conf/properties.js';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { type Distribution, keepingAll } from '../../core/score/scoring-filter.js';
import { hostKeyOf, unreverseUrl } from '../../core/url/row-key.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import type { Run } from '../step.js';
import { redirectTime } from '../../core/url/redirect-rules.js';
import type { Visited, Waiting } from './fetch.sql.js';
import {
  type Redirect,
  type RedirectSource,
  emptySpend,
  isKnownTarget,
  readSource,
  takeTarget,
} from './redirect-at-once.sql.js';

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
    if (!run.conf['db.update.additions.allowed'] && !(await isKnownTarget(tx, crawl, redirect))) return null;
    const shares = distribution(source, redirect);
    if (!shares.follow) return null;
    const interval = run.conf['db.fetch.interval.default'];
    const contribution = contributionNow(redirect, shares);
    const taken = await takeTarget(tx, { ...redirect, crawl, interval }, { ...source, shares, contribution });
    if (!taken) return null;
    if (contribution > 0) await emptySpend(tx, crawl, redirect);
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

/** The distribution that UPDATEDB will compute for the source: without headers and content, which it will not have either. */
function distribution(from: RedirectSource, { source, noted, scoring }: Redirect): Distribution {
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
 * What the target gets now, so that it can distribute it in this batch: behind a seed that redirects, all pages would have score
 * 0 until the next visits. In mode `textbook` UPDATEDB adds it, because that keeps the history of what a page has distributed.
 */
function contributionNow({ source, target, scoring }: Redirect, shares: Distribution): number {
  if (scoring.textbook || shares.givenBack > 0) return 0;
  return hostKeyOf(target) === source.host ? shares.internalShare : shares.externalShare;
}
