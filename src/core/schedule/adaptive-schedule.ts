/**
 * A schedule that learns (Nutch 1.x `AdaptiveFetchSchedule`).
 *
 * A page that changed is visited sooner next time, one that did not later, within bounds. With `sync_delta` the next
 * visit is also moved toward the page's own rhythm: an interval shorter than the time since the last change grows to
 * it, and the clock is set back by a share of that time. Hosts may have bounds of their own. The arithmetic is that of the
 * original, 32-bit floats included, so that the numbers agree to the millisecond.
 */
import {
  BaseSchedule,
  type ModifiedState,
  type PageTiming,
  type ScheduleProps,
  type VisitedPage,
} from './fetch-schedule.js';
import { hostForRules } from '../url/idn.js';
import type { Bounds } from './host-bounds.js';
import type { Rates } from './mime-rates.js';

/** What holds for one page: seconds. */
interface Limits {
  readonly min: number;
  readonly max: number;
}

export class AdaptiveSchedule extends BaseSchedule {
  /** @param hosts bounds of single hosts, by the name that `hostForRules` gives them */
  constructor(
    props: ScheduleProps,
    private readonly hosts?: ReadonlyMap<string, Bounds>,
  ) {
    super(props);
  }

  override afterFetch(page: VisitedPage, state: ModifiedState): PageTiming {
    const fixed = page.fixedInterval ?? null;
    if (fixed !== null) return next(page.fetchTime, Math.fround(fixed), page.modifiedTime);

    const limits = this.limitsOf(page);
    // A change in the future would set the clock ahead beyond any interval, where a page is due at once.
    let modifiedTime = page.modifiedTime > 0 ? Math.min(page.modifiedTime, page.fetchTime) : page.fetchTime;
    let interval = this.learnt(page, state);
    // A change seen now may have happened at any time since the last visit; the visit itself stands for it.
    if (state === 'modified') modifiedTime = page.fetchTime;

    let clock = page.fetchTime;
    if (this.props['db.fetch.schedule.adaptive.sync_delta']) {
      const delta = Math.trunc((page.fetchTime - modifiedTime) / 1000);
      if (delta > interval) interval = Math.fround(delta);
      clock -= this.shift(delta, limits.max);
    }
    return next(clock, Math.min(Math.max(interval, limits.min), limits.max), modifiedTime);
  }

  /** How fast the interval of a page grows and shrinks. */
  protected ratesOf(_page: VisitedPage): Rates {
    return {
      inc: this.props['db.fetch.schedule.adaptive.inc_rate'],
      dec: this.props['db.fetch.schedule.adaptive.dec_rate'],
    };
  }

  private learnt(page: VisitedPage, state: ModifiedState): number {
    const stored = this.startInterval(page);
    const interval = Math.fround(stored === 0 ? this.props['db.fetch.interval.default'] : stored);
    const { inc, dec } = this.ratesOf(page);
    if (state === 'modified') return Math.fround(interval * Math.fround(1 - Math.fround(dec)));
    if (state === 'notmodified') return Math.fround(interval * Math.fround(1 + Math.fround(inc)));
    return interval;
  }

  /**
   * Milliseconds to set the clock back. None when the shift is longer than the longest interval, as in 1.x: cut to that
   * interval instead, a page that has not changed for years would be due at every visit.
   */
  private shift(deltaSeconds: number, max: number): number {
    const seconds = deltaSeconds * Math.fround(this.props['db.fetch.schedule.adaptive.sync_delta_rate']);
    return seconds > max ? 0 : Math.round(seconds * 1000);
  }

  private limitsOf({ host }: VisitedPage): Limits {
    const own = host === undefined ? undefined : this.hosts?.get(hostForRules(host));
    const min = own?.min ?? this.props['db.fetch.schedule.adaptive.min_interval'];
    const max = own?.max ?? this.props['db.fetch.schedule.adaptive.max_interval'];
    return { min, max: Math.max(own?.min ?? 0, max) };
  }
}

/** Intervals are stored as whole seconds; the next fetch time keeps the fraction. */
function next(clock: number, interval: number, modifiedTime: number): PageTiming {
  return {
    fetchTime: clock + Math.round(interval * 1000),
    fetchInterval: Math.round(interval),
    retries: 0,
    modifiedTime,
  };
}
