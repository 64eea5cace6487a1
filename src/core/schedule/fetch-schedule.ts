/**
 * When a page is to be fetched again.
 *
 * Every page has an interval and a next fetch time. A schedule moves them after each visit: to the same interval again,
 * to a shorter one for a page that changes, to a longer one for a page that does not, and far away for one that is
 * gone. No page is given up for ever: even a gone one is tried again within the longest interval allowed.
 *
 * All times are milliseconds since the epoch, all intervals seconds, and "now" always comes in from outside.
 */

import type { SitemapHints } from './sitemap-hints.js';

/** The content of the visit, compared with the visit before. */
export type ModifiedState = 'unknown' | 'modified' | 'notmodified';

/** The five values of a page that a schedule reads and moves. */
export interface PageTiming {
  /** Next fetch time, ms. */
  readonly fetchTime: number;
  /** Seconds between two fetches. */
  readonly fetchInterval: number;
  /** Temporary failures since the last fetch that ended well. */
  readonly retries: number;
  /** When the content last changed, ms; 0 unknown. */
  readonly modifiedTime: number;
}

export interface VisitedPage extends PageTiming {
  /** Seconds to keep to whatever happens (seed key `nutch.fetchInterval.fixed`); null or absent for none. */
  readonly fixedInterval?: number | null;
  /** Host name in lower case, for bounds by host. */
  readonly host?: string;
  /** `Content-Type` of the page, for rates by type. */
  readonly contentType?: string | null;
  readonly sitemap?: SitemapHints;
}

/** The crawl properties a schedule depends on, under their Nutch names. Intervals in seconds, rates as shares. */
export interface ScheduleProps {
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
  /** A page just found: due at `now`, default interval. */
  initial(now: number): PageTiming;
  /** After a fetch at `page.fetchTime` that ended well, was redirected or answered "not modified". */
  afterFetch(page: VisitedPage, state: ModifiedState): PageTiming;
  /** After a permanent failure at `page.fetchTime`: half as long again, never beyond the maximum. */
  afterGone(page: VisitedPage): PageTiming;
  /** After a temporary failure at `page.fetchTime`: tomorrow, one retry more. */
  afterRetry(page: VisitedPage): PageTiming;
  /** A page whose interval has outgrown `db.fetch.interval.max`: shorter interval, content treated as unknown. */
  forceRefetch(page: PageTiming): PageTiming;
  /** Is the page due at `now`? With the timing to store when the page's own lay too far ahead. */
  due(page: PageTiming, now: number): { due: boolean; timing: PageTiming };
}

const MAX_INTERVAL_S = 2_147_483_647;

/**
 * The fixed interval among the metadata of a page, where Nutch keeps it as the text of a float. Any seed line and any filter
 * may write there: what is no number of seconds that a page can keep is none.
 */
export function fixedIntervalOf(text: string | null | undefined): number | null {
  const seconds = (text ?? '').trim() === '' ? NaN : Number(text);
  return seconds >= 0 && seconds <= MAX_INTERVAL_S ? seconds : null;
}

const RETRY_SECONDS = 86_400;
const GONE_FACTOR = 1.5;
const WITHIN_MAX = 0.9;

/** What all schedules share (Nutch `AbstractFetchSchedule`); they differ in `afterFetch`. */
export abstract class BaseSchedule implements FetchSchedule {
  constructor(protected readonly props: ScheduleProps) {}

  abstract afterFetch(page: VisitedPage, state: ModifiedState): PageTiming;

  initial(now: number): PageTiming {
    return { fetchTime: now, fetchInterval: this.props['db.fetch.interval.default'], retries: 0, modifiedTime: 0 };
  }

  afterGone(page: VisitedPage): PageTiming {
    const longer = Math.floor(page.fetchInterval * GONE_FACTOR);
    const fetchInterval = longer < this.max ? longer : this.withinMax;
    return { ...timingOf(page), fetchInterval, fetchTime: page.fetchTime + fetchInterval * 1000 };
  }

  afterRetry(page: VisitedPage): PageTiming {
    return { ...timingOf(page), fetchTime: page.fetchTime + RETRY_SECONDS * 1000, retries: page.retries + 1 };
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

  /** The interval to start from: what a sitemap says, while the page still has the interval that all begin with. */
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
    return Math.round(this.max * WITHIN_MAX);
  }

  private capped(interval: number): number {
    return interval > this.max ? this.withinMax : interval;
  }
}

/** The timing alone, whatever else the object carries. */
export function timingOf({ fetchTime, fetchInterval, retries, modifiedTime }: PageTiming): PageTiming {
  return { fetchTime, fetchInterval, retries, modifiedTime };
}
