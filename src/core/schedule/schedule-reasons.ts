/** Explains the next fetch of a page: the result of the visit, and which rule changed what. */
import type { Conf } from '../conf/properties.js';
import { DAY_S } from '../day.js';
import { withoutPackage } from '../conf/property.js';
import { type NextState, type PageState, modifiedState } from '../page/next-state.js';
import { PAGE_STATUS, statusName } from '../page/page-status.js';
import { divisorByScore } from './sooner-by-score.js';

const CHANGED = {
  modified: 'its content changed',
  notmodified: 'its content did not change',
  unknown: 'whether its content changed is unknown',
} as const;

/** One sentence for each rule that applied. */
export function whyScheduled(before: PageState, next: NextState, conf: Conf): string[] {
  const interval = `interval ${before.fetchInterval} s, then ${next.fetchInterval} s`;
  if (before.status === PAGE_STATUS.retry && before.unasked)
    return [`It was not requested (RETRY): due again ${retryDelay(conf)}; this does not count as a failure.`];
  if (before.status === PAGE_STATUS.retry) return retryWords(next, conf, interval);
  if (before.status === PAGE_STATUS.gone)
    return [
      `It was not found or may not be fetched: gone; its interval grows by half, up to 0.9 of db.fetch.interval.max: ${interval}.`,
    ];
  if (next.status === PAGE_STATUS.parseFailed)
    return [
      `Its content cannot be parsed and parser.delete.failed.parse is set: its interval is that of a gone page: ${interval}.`,
    ];
  return answerWords(before, next, conf, interval);
}

function retryDelay({ 'db.fetch.interval.max': max }: Conf): string {
  return max < DAY_S ? `${max} s later (db.fetch.interval.max)` : 'a day later';
}

function retryWords(next: NextState, conf: Conf, interval: string): string[] {
  const max = conf['db.fetch.retry.max'];
  if (next.status !== PAGE_STATUS.gone)
    return [
      `A temporary failure: due again ${retryDelay(conf)}, failure ${next.retries} of ${max} in a row (db.fetch.retry.max).`,
    ];
  return [
    `Temporary failure ${next.retries} in a row: db.fetch.retry.max is ${max}, so it counts as gone: ${interval}.`,
  ];
}

function answerWords(before: PageState, next: NextState, conf: Conf, interval: string): string[] {
  const why = [`It is ${statusName(before.status)}, and ${CHANGED[modifiedState(before)]}.`];
  if (next.modifiedTime === before.lastModified) why.push('Last-Modified of the response is its modification time.');
  else if ((before.lastModified ?? 0) > before.fetchTime)
    why.push('Last-Modified of the response is in the future and ignored.');
  const fixed = before.fixedInterval ?? null;
  if (fixed !== null) why.push(`Its seed line gave it a fixed interval of ${fixed} s.`);
  const hint = before.sitemap?.changeSeconds ?? null;
  if (hint !== null && fixed === null && before.fetchInterval === conf['db.fetch.interval.default'])
    why.push(`Its interval is still the default one, so it starts from changefreq of its sitemap: ${hint} s.`);
  why.push(`${withoutPackage(conf['db.fetch.schedule.class'])} (db.fetch.schedule.class): ${interval}.`);
  why.push(...earlierWords(before, next, conf));
  if (next.unconditional)
    why.push(
      `The interval exceeds db.fetch.interval.max: the page becomes ${statusName(next.status)} with 0.9 of that, and is fetched unconditionally.`,
    );
  return why;
}

/** Why the next fetch is earlier than its interval says. */
function earlierWords(before: PageState, next: NextState, conf: Conf): string[] {
  const earlier = Math.round((before.fetchTime - next.fetchTime) / 1000 + next.fetchInterval);
  if (earlier <= 1) return [];
  const divisor = divisorByScore(before, conf);
  if (divisor === 1)
    return [
      `The next fetch is ${earlier} s earlier, towards its modification time (db.fetch.schedule.adaptive.sync_delta).`,
    ];
  return [
    `The next fetch is ${earlier} s earlier: its score ${before.score} exceeds db.fetch.schedule.score.base (${conf['db.fetch.schedule.score.base']}), so the time until then is divided by ${Number(divisor.toPrecision(6))} (db.fetch.schedule.score.exponent), down to ${conf['db.fetch.schedule.score.min_interval']} s at least (db.fetch.schedule.score.min_interval).`,
  ];
}
