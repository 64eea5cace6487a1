/**
 * Why a known page is not fetched now: its row, the conditions of GENERATE, and its position among the other pages. The code of
 * GENERATE itself checks the conditions and makes the selection.
 */
import { makeScoring } from '../../plugin/scoring-filters.js';
import type { Admission, UrlRules } from '../../core/url/url-rules.js';
import type { Pool } from 'pg';
import type { Conf } from '../../core/conf/properties.js';
import { PAGE_STATUS, statusName } from '../../core/page/page-status.js';
import { PROTOCOL_STATUS, protocolStatusText } from '../../core/page/protocol-status.js';
import { PARSE_MAJOR } from '../../core/page/parse-status.js';
import { hostKeyOf, rowKeyOrNull, unreverseHost, unreverseUrl } from '../../core/url/row-key.js';
import { Eligibility, type LeftOut } from '../../core/frontier/eligibility.js';
import type { GenerateArgs } from '../../cycle/generate/generate.args.js';
import { type Candidate, candidateOf } from '../../cycle/generate/candidates.sql.js';
import { batchPosition } from '../../cycle/generate/preview.js';
import { beyondOf } from '../../cycle/generate/selection.js';
import { databaseNow } from '../../db/sql.js';
import { pageByKey } from '../../webpage/page-columns.sql.js';
import type { PageRow } from '../../core/page/page-row.js';
import { visitsOf } from '../page/page-detail.query.js';
import { readInspectedHost, originalOf } from './inspect.query.js';
import { type Reason, blocked, noted, refusedBy } from './reason.js';

/** Milliseconds for finding a page's position in the next batch. */
const POSITION_MS = 3_000;
const noArgs: GenerateArgs = {};
/** Statuses of a page whose last visit brought its content. */
const WITH_CONTENT: ReadonlySet<number> = new Set([
  PAGE_STATUS.fetched,
  PAGE_STATUS.notModified,
  PAGE_STATUS.parseFailed,
  PAGE_STATUS.duplicate,
]);

export interface KnownPage {
  pool: Pool;
  crawl: number;
  conf: Conf;
  rules: UrlRules;
  page: PageRow;
}

/** All that prevents the next fetch of a known page, and the results of its visits so far. */
export async function pageReasons(known: KnownPage): Promise<Reason[]> {
  const { pool, crawl, conf, page } = known;
  const now = await databaseNow(pool);
  const maxWaitS = conf['fetcher.backoff.max.wait'];
  const candidate = await candidateOf(
    pool,
    { crawl, ...page },
    { curTime: now, beyond: beyondOf(conf, now), maxWaitS },
  );
  // The row may have been deleted since it was read.
  if (candidate === undefined) return [];
  const history = await historyReasons(known);
  const host = await hostReasons(known, now);
  if (page.generateMark !== null) return [batchReason(page), ...history, ...host];
  const left = await leftOutReasons(known, candidate);
  if (page.injectMark === 's')
    left.push(blocked('SITEMAP', 'It is a sitemap: GENERATE selects it only with the argument sitemap.'));
  const position = left.length === 0 ? await positionReasons(known, candidate) : [];
  return [...left, ...position, ...history, ...host];
}

/** Why GENERATE leaves the page out, whatever the other pages are. */
async function leftOutReasons(known: KnownPage, candidate: Candidate): Promise<Reason[]> {
  const eligibility = new Eligibility(known.conf, noArgs, known.rules, makeScoring(known.conf).sortValue);
  const reasons: Reason[] = [];
  for (const name of eligibility.allLeftOut(candidate)) {
    if (name === 'NOT_DUE') reasons.push(await notDue(known));
    else if (name === 'URL_FILTERS_REJECTED') reasons.push(refusedByRules(eligibility.admission(candidate)));
    // The state of the host is reported for every page, also for one in a batch.
    else if (name !== 'HOST_BLOCKED' && name !== 'HOST_DRAINED')
      reasons.push(limitReasons[name](known.page, known.conf));
  }
  return reasons;
}

function batchReason({ generateMark, fetchMark, parseMark }: PageRow): Reason {
  const done = parseMark !== null ? 'fetched and parsed' : fetchMark !== null ? 'fetched' : 'not fetched yet';
  const next = parseMark !== null ? 'UPDATEDB' : fetchMark !== null ? 'PARSE and UPDATEDB' : 'FETCH';
  return blocked('IN_BATCH', `It is in batch ${generateMark} already, ${done}: ${next} of that batch comes next.`);
}

/** Explains the status of the page. */
async function historyReasons({ pool, crawl, conf, page }: KnownPage): Promise<Reason[]> {
  const until = page.fetchTime.toISOString();
  const protocol = protocolOf(page);
  const reasons: Reason[] = [];
  if (page.retriesSinceFetch > 0 && page.status !== PAGE_STATUS.gone) {
    const property = 'db.fetch.retry.max';
    const message = `${page.retriesSinceFetch} of ${conf[property]} failures in a row (${property})${protocol}; the next attempt is due at ${until}.`;
    reasons.push(noted('RETRY', message, { property, until }));
  }
  if (page.status === PAGE_STATUS.gone) {
    const isDenied = page.protocolCode === PROTOCOL_STATUS.ROBOTS_DENIED;
    const why = isDenied ? `robots.txt forbade it${protocol}` : `It counts as gone${protocol}`;
    const particulars = { until, ...(page.robotsLine && { line: page.robotsLine }) };
    reasons.push(
      noted(isDenied ? 'ROBOTS_DENIED' : 'GONE', `${why}; the next attempt is due at ${until}.`, particulars),
    );
  }
  if (page.status === PAGE_STATUS.redirTemp || page.status === PAGE_STATUS.redirPerm)
    reasons.push(await redirectReason(pool, crawl, page));
  if (WITH_CONTENT.has(page.status) && page.parseMajor === PARSE_MAJOR.failed) {
    reasons.push(
      noted('PARSE_FAILED', `Its content could not be parsed: ${page.parseArgs?.join(' ') ?? 'unknown reason'}.`),
    );
  }
  if (page.status === PAGE_STATUS.orphan) reasons.push(noted('ORPHAN', 'No page links to it any more.'));
  if (page.status === PAGE_STATUS.duplicate) {
    const key =
      page.signature === null ? undefined : await originalOf(pool, crawl, { ...page, signature: page.signature });
    const original = key === undefined ? {} : { url: unreverseUrl(key) };
    reasons.push(
      noted(
        'DUPLICATE',
        `DEDUP found the same content at ${original.url ?? 'a better page'}, which represents both.`,
        original,
      ),
    );
  }
  return reasons;
}

/** Where it redirected, and what the crawl has there. */
async function redirectReason(pool: Pool, crawl: number, { redirectUrl: url }: PageRow): Promise<Reason> {
  if (url === null) return noted('REDIRECT', 'It redirected to another URL.');
  const key = rowKeyOrNull(url);
  const target = key === null ? undefined : await pageByKey(pool, crawl, { host: hostKeyOf(key), key });
  const state =
    target === undefined
      ? ', which the crawl does not know. Ask about that URL'
      : WITH_CONTENT.has(target.status)
        ? ': the content is there'
        : `, which is ${statusName(target.status)}. Ask about that URL`;
  return noted('REDIRECT', `It redirected to ${url}${state}.`, { url });
}

function protocolOf({ protocolCode: code, protocolArgs: args }: PageRow): string {
  return code === null ? '' : ` (last visit: ${protocolStatusText({ code, args: args ?? [] })})`;
}

/** Why its host is excluded: drained, blocked by hand, or in back-off, for whose end FETCH waits when it is near. */
async function hostReasons({ pool, crawl, conf, page }: KnownPage, now: Date): Promise<Reason[]> {
  const state = await readInspectedHost(pool, crawl, page.host);
  const host = unreverseHost(page.host);
  const reasons: Reason[] = [];
  if (state?.drain) reasons.push(blocked('HOST_DRAINED', `Host ${host} is drained: none of its pages is generated.`));
  if (!state?.blockedUntil || state.blockedUntil <= now) return reasons;
  const until = state.blockedUntil.toISOString();
  if (state.blockedBy !== 'back-off') {
    return [...reasons, blocked('HOST_BLOCKED', `Host ${host} is blocked until ${until}.`, { until })];
  }
  const property = 'fetcher.backoff.max.wait';
  const why = `Host ${host} is blocked until ${until}, after ${state.failures} failures`;
  const isLong = state.blockedUntil.getTime() > now.getTime() + conf[property] * 1000;
  const reason = isLong
    ? blocked('HOST_BLOCKED', `${why}.`, { until, property })
    : noted('HOST_BLOCKED', `${why}; FETCH waits for it (${property}).`, { until, property });
  return [...reasons, reason];
}

/** When it is due, and why then. */
async function notDue({ pool, crawl, page }: KnownPage): Promise<Reason> {
  const [visit] = await visitsOf(pool, { crawl, ...page });
  const visited = visit === undefined ? 'never visited' : `visited ${visit.time}`;
  const until = page.fetchTime.toISOString();
  const message = `It is not due until ${until}: ${statusName(page.status)}, ${visited}, every ${page.fetchInterval} s.`;
  return blocked('NOT_DUE', message, { until, property: 'db.fetch.interval.default' });
}

/** GENERATE applies the URL rules once more, in its own scope. */
function refusedByRules(admission: Admission): Reason {
  const { words, named } = refusedBy('rejected' in admission ? admission : { rejected: 'filter' });
  const message = `GENERATE applies normalizers and filters again (generate.filter, scope generate_host_count), and ${words}.`;
  return blocked('FILTERED', message, { property: 'generate.filter', ...named });
}

type Limit = Exclude<LeftOut, 'NOT_DUE' | 'URL_FILTERS_REJECTED' | 'HOST_BLOCKED' | 'HOST_DRAINED'>;

const limitReasons: Readonly<Record<Limit, (page: PageRow, conf: Conf) => Reason>> = {
  DISTANCE({ distance }, conf) {
    const property = 'generate.max.distance';
    const message = `It is ${distance} links from a seed, and ${property} allows ${conf[property]}.`;
    return blocked('DISTANCE', message, { property });
  },
  SCORE_TOO_LOW({ score }, conf) {
    const property = 'generate.min.score';
    return blocked('SCORE_TOO_LOW', `Its score is ${score}, and ${property} requires ${conf[property]}.`, { property });
  },
  STATUS_REJECTED({ status }, conf) {
    const property = 'generate.restrict.status';
    const message = `Its status is ${statusName(status)}, and ${property} allows ${conf[property]} only.`;
    return blocked('STATUS_REJECTED', message, { property });
  },
  INTERVAL_REJECTED({ fetchInterval }, conf) {
    const property = 'generate.min.interval';
    const message = `Its fetch interval is ${fetchInterval} s, and ${property} allows at most ${conf[property]}.`;
    return blocked('INTERVAL_REJECTED', message, { property });
  },
};

/** The position of the page in the next batch; computed only when a limit may exclude it. */
async function positionReasons({ pool, crawl, conf }: KnownPage, page: Candidate): Promise<Reason[]> {
  const topN = conf['generate.topN'];
  const limit = conf['generate.max.count.expr'].trim() === '' ? 'generate.max.count' : 'generate.max.count.expr';
  if (topN < 0 && limit === 'generate.max.count' && conf[limit] <= 0) return [];
  const position = await batchPosition(pool, { crawl, conf, args: noArgs, timeout: POSITION_MS }, page);
  switch (position.outcome) {
    case 'LATE':
      return [noted('PLACE_UNKNOWN', `Its position in the next batch was not found within ${POSITION_MS} ms.`)];
    case 'HOST_LIMIT': {
      const message = `${position.ofGroup} better pages of its ${conf['generate.count.mode']} precede it, and ${limit} takes ${position.ofGroup}.`;
      return [blocked('HOST_LIMIT', message, { property: limit })];
    }
    case 'PARTITION_LIMIT': {
      const property = 'mapreduce.job.reduces';
      const message = `Its partition is full: topN ${topN} is divided among ${conf[property]} partitions (${property}).`;
      return [blocked('PARTITION_LIMIT', message, { property })];
    }
    case 'TOP_N': {
      const property = 'generate.topN';
      const message = `${position.before} better pages precede it, and ${property} takes ${topN}.`;
      return [blocked('TOP_N', message, { property })];
    }
    default:
      return [];
  }
}
