/**
 * Fetch schedules: when a page is fetched again (Nutch `FetchSchedule`).
 *
 * Every page has a fetch interval and a next fetch time. A schedule sets both after each visit: it keeps the interval,
 * shortens it for a page that changes, or lengthens it for a page that does not, or is gone. No page is dropped for
 * good: even a gone one is fetched again within the maximum interval.
 *
 * All times are milliseconds since the epoch, all intervals seconds; the caller passes the current time.
 */

import { DAY_MS } from '../day.js';
import { MAX_INT32 } from '../int32.js';
import type { SitemapHints } from './sitemap-hints.js';
import { type ScoreProps, type ScoredVisit, soonerByScore } from './sooner-by-score.js';

/** The content of the visit, compared with the visit before. */
export type ModifiedState = 'unknown' | 'modified' | 'notmodified';

/** The values of a page that a schedule reads and sets. */
export interface PageTiming {
  /** Next fetch time, ms. */
  readonly fetchTime: number;
  /** Seconds between two fetches. */
  readonly fetchInterval: number;
  /** Temporary failures in a row. */
  readonly retries: number;
  /** When the content last changed, ms; 0 unknown. */
  readonly modifiedTime: number;
}

export interface VisitedPage extends PageTiming, ScoredVisit {
  /** Host name in lower case, for bounds by host. */
  readonly host?: string;
  /** `Content-Type` of the page, for rates by type. */
  readonly contentType?: string | null;
  readonly sitemap?: SitemapHints;
}

/** The crawl properties of schedules, under their Nutch names. Intervals in seconds, rates as fractions. */
export interface ScheduleProps extends ScoreProps {
  readonly 'db.fetch.interval.default': number;
  readonly 'db.fetch.interval.max': number;
  readonly 'db.fetch.schedule.adaptive.inc_rate': number;
  readonly 'db.fetch.schedule.adaptive.dec_rate': number;
  readonly 'db.fetch.schedule.adaptive.min_interval': number;
  readonly 'db.fetch.schedule.adaptive.max_interval': number;
  readonly 'db.fetch.schedule.adaptive.sync_delta': boolean;
  readonly 'db.fetch.schedule.adaptive.sync_delta_rate': number;
}

export interface FetchSchedule {
  /** A new page: due at `now`, default interval (`initializeSchedule`). */
  initial(now: number): PageTiming;
  /** After a fetch at `page.fetchTime` that succeeded, was redirected or not modified (`setFetchSchedule`). */
  afterFetch(page: VisitedPage, state: ModifiedState): PageTiming;
  /** After a permanent failure at `page.fetchTime`: 1.5 times the interval, within the maximum (`setPageGoneSchedule`). */
  afterGone(page: VisitedPage): PageTiming;
  /** After a temporary failure at `page.fetchTime`: due a day later, within the maximum, one more retry (`setPageRetrySchedule`). */
  afterRetry(page: VisitedPage): PageTiming;
  /** For an interval beyond `db.fetch.interval.max`: shorter interval, modified time unknown (`forceRefetch`). */
  forceRefetch(page: PageTiming): PageTiming;
  /** Whether the page is due at `now`, and its timing, corrected if too far in the future (`shouldFetch`). */
  due(page: PageTiming, now: number): { due: boolean; timing: PageTiming };
}

/**
 * The fixed interval in the metadata of a page, where Nutch stores it as the text of a float. Seed lines and filters may
 * write any text there: null for anything but a valid number of seconds.
 */
export function fixedIntervalOf(text: string | null | undefined): number | null {
  const seconds = (text ?? '').trim() === '' ? NaN : Number(text);
  return seconds >= 0 && seconds <= MAX_INT32 ? seconds : null;
}

/** The largest number that the table stores: a page that is requested each ten minutes may fail so often in a year. */
export const MAX_RETRIES = 32_767;

const RETRY_DELAY_MS = DAY_MS;
const GONE_FACTOR = 1.5;
const SHARE_OF_MAX = 0.9;

/** The interval of a page whose own exceeds `db.fetch.interval.max`, seconds. */
export const withinMax = (max: number): number => Math.round(max * SHARE_OF_MAX);

/** Base class of all schedules (Nutch `AbstractFetchSchedule`); they differ in `byInterval`. */
export abstract class BaseSchedule implements FetchSchedule {
  constructor(protected readonly props: ScheduleProps) {}

  afterFetch(page: VisitedPage, state: ModifiedState = 'unknown'): PageTiming {
    const timing = this.byInterval(page, state);
    return { ...timing, fetchTime: soonerByScore(page, timing.fetchTime, this.props, this.shortestFor(page)) };
  }

  /** The timing after a fetch, whatever the score of the page. */
  protected abstract byInterval(page: VisitedPage, state: ModifiedState): PageTiming;

  /** Shortest interval of a page, seconds. */
  protected shortestFor(_page: VisitedPage): number {
    return 0;
  }

  initial(now: number): PageTiming {
    return { fetchTime: now, fetchInterval: this.props['db.fetch.interval.default'], retries: 0, modifiedTime: 0 };
  }

  afterGone(page: VisitedPage): PageTiming {
    const longer = Math.floor((page.fetchInterval || this.props['db.fetch.interval.default']) * GONE_FACTOR);
    const fetchInterval = longer < this.max ? longer : this.withinMax;
    return { ...timingOf(page), fetchInterval, fetchTime: page.fetchTime + fetchInterval * 1000 };
  }

  afterRetry(page: VisitedPage): PageTiming {
    // Beyond the maximum interval it would count as due at once.
    const delay = Math.min(RETRY_DELAY_MS, this.max * 1000);
    const retries = Math.min(page.retries + 1, MAX_RETRIES);
    return { ...timingOf(page), fetchTime: page.fetchTime + delay, retries };
  }

  forceRefetch(page: PageTiming): PageTiming {
    return { ...timingOf(page), fetchInterval: this.capped(page.fetchInterval), retries: 0, modifiedTime: 0 };
  }

  due(page: PageTiming, now: number): { due: boolean; timing: PageTiming } {
    if (page.fetchTime - now > this.max * 1000) {
      const timing = { ...timingOf(page), fetchTime: now, fetchInterval: this.capped(page.fetchInterval) };
      return { due: true, timing };
    }
    return { due: page.fetchTime <= now, timing: timingOf(page) };
  }

  /** The interval to adapt: that of a sitemap while the page still has the default interval, else its own. */
  protected startInterval({ fetchInterval, fixedInterval, sitemap }: VisitedPage): number {
    const hint = sitemap?.changeSeconds ?? null;
    const learnt = fetchInterval !== 0 && fetchInterval !== this.props['db.fetch.interval.default'];
    if (hint === null || learnt || (fixedInterval ?? null) !== null) return fetchInterval;
    const min = Math.round(this.props['db.fetch.schedule.adaptive.min_interval']);
    return Math.min(Math.max(hint, min), this.max);
  }

  private get max(): number {
    return this.props['db.fetch.interval.max'];
  }

  private get withinMax(): number {
    return withinMax(this.max);
  }

  private capped(interval: number): number {
    return interval > this.max ? this.withinMax : interval;
  }
}

/** Picks the timing fields of a larger object. */
export function timingOf({ fetchTime, fetchInterval, retries, modifiedTime }: PageTiming): PageTiming {
  return { fetchTime, fetchInterval, retries, modifiedTime };
}
