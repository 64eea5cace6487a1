/** The next fetch of a page in words: what the visit meant, which rule moved what. */
import type { Conf } from '../../conf/properties.js';
import { type NextState, type PageState, modifiedState } from '../../core/page/next-state.js';
import { PAGE_STATUS, statusName } from '../../core/page/page-status.js';

const CHANGED = {
  modified: 'its content changed',
  notmodified: 'its content did not change',
  unknown: 'whether its content changed is unknown',
} as const;

/** One sentence for each thing that had a say. */
export function whyScheduled(before: PageState, next: NextState, conf: Conf): string[] {
  const interval = `interval ${before.fetchInterval} s, then ${next.fetchInterval} s`;
  if (before.status === PAGE_STATUS.retry && before.unasked)
    return ['It was not requested (RETRY): tried again a day later, which counts as no failure.'];
  if (before.status === PAGE_STATUS.retry) return retryWords(next, conf, interval);
  if (before.status === PAGE_STATUS.gone)
    return [
      `It was not found or may not be fetched: gone, tried again in half as long again, within 0.9 of db.fetch.interval.max: ${interval}.`,
    ];
  if (next.status === PAGE_STATUS.parseFailed)
    return [
      `Its content cannot be read and parser.delete.failed.parse is set: it waits as a gone page does: ${interval}.`,
    ];
  return answerWords(before, next, conf, interval);
}

function retryWords(next: NextState, conf: Conf, interval: string): string[] {
  const max = conf['db.fetch.retry.max'];
  if (next.status !== PAGE_STATUS.gone)
    return [
      `A temporary failure: tried again a day later, failure ${next.retries} of ${max} in a row (db.fetch.retry.max).`,
    ];
  return [
    `Temporary failure ${next.retries} in a row: db.fetch.retry.max is ${max}, so it counts as gone: ${interval}.`,
  ];
}

function answerWords(before: PageState, next: NextState, conf: Conf, interval: string): string[] {
  const why = [`It is ${statusName(before.status)}, and ${CHANGED[modifiedState(before)]}.`];
  if (next.modifiedTime === before.lastModified) why.push('Last-Modified of the answer is its time of change.');
  else if ((before.lastModified ?? 0) > before.fetchTime)
    why.push('Last-Modified of the answer is in the future and not believed.');
  const fixed = before.fixedInterval ?? null;
  if (fixed !== null) why.push(`Its seed line gave it a fixed interval of ${fixed} s.`);
  const hint = before.sitemap?.changeSeconds ?? null;
  if (hint !== null && fixed === null && before.fetchInterval === conf['db.fetch.interval.default'])
    why.push(`Its interval is still the default one, so it starts from changefreq of its sitemap: ${hint} s.`);
  why.push(`${simpleName(conf['db.fetch.schedule.class'])} (db.fetch.schedule.class): ${interval}.`);
  const shift = next.fetchTime - (before.fetchTime + next.fetchInterval * 1000);
  if (shift < -1000)
    why.push(
      `The next fetch comes ${Math.round(-shift / 1000)} s earlier, toward its own time of change (db.fetch.schedule.adaptive.sync_delta).`,
    );
  if (next.unconditional)
    why.push(
      'The interval is beyond db.fetch.interval.max: it starts again as db_unfetched, with 0.9 of that, and is asked for without conditions.',
    );
  return why;
}

const simpleName = (className: string): string => className.slice(className.lastIndexOf('.') + 1);
