/**
 * Why a page that the crawl knows is not fetched now: what its row says, what GENERATE asks of it, and where it stands
 * among the others. GENERATE's own questions and its own selection are asked, not copies of them.
 */
import type { Pool } from 'pg';
import type { Conf } from '../../conf/properties.js';
import { PAGE_STATUS, statusName } from '../../core/page/page-status.js';
import { PROTOCOL_STATUS, protocolStatusText } from '../../core/page/protocol-status.js';
import { unreverseHost, unreverseUrl } from '../../core/url/row-key.js';
import { Eligibility, type LeftOut } from '../../cycle/generate/eligibility.js';
import type { GenerateArgs } from '../../cycle/generate/generate.args.js';
import { type Candidate, candidateOf } from '../../cycle/generate/candidates.sql.js';
import { batchPosition } from '../../cycle/generate/preview.js';
import { beyondOf } from '../../cycle/generate/selection.js';
import { databaseNow } from '../../db/sql.js';
import type { Admission, UrlRules } from '../../plugin/url-rules.js';
import type { PageRow } from '../../webpage/page-row.js';
import { visitsOf } from '../page/page-detail.query.js';
import { hostState, originalOf } from './inspect.query.js';
import { type Reason, blocked, noted } from './reason.js';

/** Milliseconds for finding a page's place in the next batch. */
const POSITION_MS = 3_000;
const noArgs: GenerateArgs = {};

export interface KnownPage {
  pool: Pool;
  crawl: number;
  conf: Conf;
  rules: UrlRules;
  page: PageRow;
}

/** All that stands between a known page and its next fetch, and what became of it so far. */
export async function pageReasons(known: KnownPage): Promise<Reason[]> {
  const { pool, crawl, conf, page } = known;
  const now = await databaseNow(pool);
  const maxWait = conf['fetcher.backoff.max.wait'];
  const candidate = await candidateOf(pool, { crawl, ...page }, { clock: now, beyond: beyondOf(conf, now), maxWait });
  // The row may have gone since it was read.
  if (candidate === undefined) return [];
  const history = await historyReasons(known);
  const host = await hostReasons(known, now);
  if (page.generateMark !== null) return [batchReason(page), ...history, ...host];
  const left = await leftOutReasons(known, candidate);
  if (page.injectMark === 's')
    left.push(blocked('SITEMAP', 'It is a sitemap: GENERATE takes it with the argument sitemap only.'));
  const position = left.length === 0 ? await positionReasons(known, candidate) : [];
  return [...left, ...position, ...history, ...host];
}

/** What GENERATE has against the page by itself. */
async function leftOutReasons(known: KnownPage, candidate: Candidate): Promise<Reason[]> {
  const eligibility = new Eligibility(known.conf, noArgs, known.rules);
  const reasons: Reason[] = [];
  for (const name of eligibility.allLeftOut(candidate)) {
    if (name === 'NOT_DUE') reasons.push(await notDue(known));
    else if (name === 'URL_FILTERS_REJECTED') reasons.push(refusedByRules(eligibility.admission(candidate)));
    // How its host stands is told of every page, also of one that waits in a batch.
    else if (name !== 'HOST_BLOCKED' && name !== 'HOST_DRAINED')
      reasons.push(limitReason(name, known.page, known.conf));
  }
  return reasons;
}

function batchReason({ generateMark, fetchMark, parseMark }: PageRow): Reason {
  const done = parseMark !== null ? 'fetched and parsed' : fetchMark !== null ? 'fetched' : 'not fetched yet';
  const next = parseMark !== null ? 'UPDATEDB' : fetchMark !== null ? 'PARSE and UPDATEDB' : 'FETCH';
  return blocked('IN_BATCH', `It is in batch ${generateMark} already, ${done}: ${next} of that batch comes next.`);
}

/** The status of the page in words: why it is what it is. */
async function historyReasons({ pool, crawl, conf, page }: KnownPage): Promise<Reason[]> {
  const until = page.fetchTime.toISOString();
  const protocol = protocolOf(page);
  const reasons: Reason[] = [];
  if (page.retriesSinceFetch > 0 && page.status !== PAGE_STATUS.gone) {
    const property = 'db.fetch.retry.max';
    const message = `${page.retriesSinceFetch} of ${conf[property]} failures in a row (${property})${protocol}; it is tried again from ${until}.`;
    reasons.push(noted('RETRY', message, { property, until }));
  }
  if (page.status === PAGE_STATUS.gone) {
    const isDenied = page.protocolCode === PROTOCOL_STATUS.ROBOTS_DENIED;
    const why = isDenied ? `robots.txt forbade it${protocol}` : `It counts as gone${protocol}`;
    const particulars = { until, ...robotsLineOf(page) };
    reasons.push(noted(isDenied ? 'ROBOTS_DENIED' : 'GONE', `${why}; it is tried again from ${until}.`, particulars));
  }
  if (page.status === PAGE_STATUS.redirTemp || page.status === PAGE_STATUS.redirPerm) {
    const to = page.redirectUrl === null ? {} : { url: page.redirectUrl };
    reasons.push(noted('REDIRECT', `It led to ${page.redirectUrl ?? 'another URL'}: the content is there.`, to));
  }
  if (page.status === PAGE_STATUS.parseFailed) {
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
        `DEDUP found the same content at ${original.url ?? 'a better page'}, which stands for both.`,
        original,
      ),
    );
  }
  return reasons;
}

function protocolOf({ protocolCode: code, protocolArgs: args }: PageRow): string {
  return code === null ? '' : ` (last visit: ${protocolStatusText({ code, args: args ?? [] })})`;
}

/** The line of robots.txt that the last visit met, as FETCH wrote it into the row. */
function robotsLineOf({ protocolArgs }: PageRow): { line?: { number: number; text: string } } {
  const match = /^robots\.txt line (\d{1,9}): (.*)$/s.exec(protocolArgs?.[0] ?? '');
  return match ? { line: { number: Number(match[1]), text: match[2] ?? '' } } : {};
}

/** What holds its host back: a drain or a block by hand, or a back-off, which FETCH waits for when it is short. */
async function hostReasons({ pool, crawl, conf, page }: KnownPage, now: Date): Promise<Reason[]> {
  const state = await hostState(pool, crawl, page.host);
  const host = unreverseHost(page.host);
  const reasons: Reason[] = [];
  if (state?.drain) reasons.push(blocked('HOST_DRAINED', `Host ${host} is drained: nothing new is fetched from it.`));
  if (!state?.blockedUntil || state.blockedUntil <= now) return reasons;
  const until = state.blockedUntil.toISOString();
  if (state.blockedBy !== 'back-off') {
    return [...reasons, blocked('HOST_BLOCKED', `Host ${host} is left alone until ${until}.`, { until })];
  }
  const property = 'fetcher.backoff.max.wait';
  const why = `Host ${host} is left alone until ${until}, after ${state.failures} failures`;
  const isLong = state.blockedUntil.getTime() > now.getTime() + conf[property] * 1000;
  const reason = isLong
    ? blocked('HOST_BLOCKED', `${why}.`, { until, property })
    : noted('HOST_BLOCKED', `${why}; FETCH waits for it (${property}).`, { until, property });
  return [...reasons, reason];
}

/** When it is due, and what that follows from. */
async function notDue({ pool, crawl, page }: KnownPage): Promise<Reason> {
  const [visit] = await visitsOf(pool, { crawl, ...page });
  const visited = visit === undefined ? 'never visited' : `visited ${visit.time}`;
  const until = page.fetchTime.toISOString();
  const message = `It is not due until ${until}: ${statusName(page.status)}, ${visited}, every ${page.fetchInterval} s.`;
  return blocked('NOT_DUE', message, { until, property: 'db.fetch.interval.default' });
}

/** GENERATE asks the URL rules once more, in a scope of its own. */
function refusedByRules(admission: Admission): Reason {
  const { rejected, plugin, rule } = 'rejected' in admission ? admission : { rejected: 'filter' };
  const by = rule === undefined ? '' : ` by rule ${rule.number}: ${rule.text}`;
  const who = plugin === undefined ? `they refuse it (${rejected})` : `${plugin} refuses it${by}`;
  const message = `GENERATE asks normalizers and filters again (generate.filter, scope generate_host_count), and ${who}.`;
  return blocked('FILTERED', message, {
    property: 'generate.filter',
    ...(plugin && { plugin }),
    ...(rule && { rule }),
  });
}

function limitReason(
  name: Exclude<LeftOut, 'NOT_DUE' | 'URL_FILTERS_REJECTED' | 'HOST_BLOCKED' | 'HOST_DRAINED'>,
  page: PageRow,
  conf: Conf,
): Reason {
  const { distance, score, status, fetchInterval } = page;
  const limits = {
    DISTANCE: [
      'generate.max.distance',
      `It is ${distance} links from a seed, and %s allows ${conf['generate.max.distance']}.`,
    ],
    SCORE_TOO_LOW: ['generate.min.score', `Its score is ${score}, and %s asks for ${conf['generate.min.score']}.`],
    STATUS_REJECTED: [
      'generate.restrict.status',
      `Its status is ${statusName(status)}, and %s takes ${conf['generate.restrict.status']} only.`,
    ],
    INTERVAL_REJECTED: [
      'generate.min.interval',
      `Its fetch interval is ${fetchInterval} s, and %s takes at most ${conf['generate.min.interval']}.`,
    ],
  } as const;
  const [property, sentence] = limits[name];
  return blocked(name, sentence.replace('%s', property), { property });
}

/** Where the page stands in the next batch, asked only where there is a limit to stand behind. */
async function positionReasons({ pool, crawl, conf }: KnownPage, page: Candidate): Promise<Reason[]> {
  const topN = conf['generate.topN'];
  const limit = conf['generate.max.count.expr'].trim() === '' ? 'generate.max.count' : 'generate.max.count.expr';
  if (topN < 0 && limit === 'generate.max.count' && conf[limit] <= 0) return [];
  const position = await batchPosition(pool, { crawl, conf, args: noArgs, timeout: POSITION_MS }, page).catch(
    () => null,
  );
  if (position === null || (position.fate === null && !position.full)) {
    return [noted('PLACE_UNKNOWN', `Its position in the next batch was not found within ${POSITION_MS} ms.`)];
  }
  if (position.fate === 'HOST_LIMIT') {
    const message = `${position.ofGroup} better pages of its ${conf['generate.count.mode']} stand before it, and ${limit} takes ${position.ofGroup}.`;
    return [blocked('HOST_LIMIT', message, { property: limit })];
  }
  if (position.fate === 'PARTITION_LIMIT') {
    const property = 'mapreduce.job.reduces';
    const message = `Its partition is full: topN ${topN} is dealt out to ${conf[property]} partitions (${property}).`;
    return [blocked('PARTITION_LIMIT', message, { property })];
  }
  if (!position.full) return [];
  const property = 'generate.topN';
  return [
    blocked('TOP_N', `${position.before} better pages stand before it, and ${property} takes ${topN}.`, { property }),
  ];
}
