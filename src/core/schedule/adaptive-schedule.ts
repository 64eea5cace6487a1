/**
 * The adaptive schedule (Nutch 1.x `AdaptiveFetchSchedule`).
 *
 * A modified page gets a shorter interval, an unmodified one a longer interval, within bounds. With `sync_delta` the next
 * visit also moves toward the page's rate of change: an interval shorter than the time since the last change is set to
 * that time, and the reference time is moved back by a fraction of it. Hosts may have their own bounds. The arithmetic
 * is that of Nutch, 32-bit floats included, so that the results are equal to the millisecond.
 */
import {
  BaseSchedule,
  type ModifiedState,
  type PageTiming,
  type ScheduleProps,
  type VisitedPage,
} from './fetch-schedule.js';
import { hostForRules } from '../url/idn.js';
import type { IntervalBounds } from './host-bounds.js';
import type { Rates } from './mime-rates.js';

/** The bounds for one page, in seconds. */
interface Limits {
  readonly min: number;
  readonly max: number;
}

export class AdaptiveSchedule extends BaseSchedule {
  /** @param hosts bounds of single hosts, by the name that `hostForRules` gives them */
  constructor(
    props: ScheduleProps,
    private readonly hosts?: ReadonlyMap<string, IntervalBounds>,
  ) {
    super(props);
  }

  protected override byInterval(page: VisitedPage, state: ModifiedState): PageTiming {
    const fixed = page.fixedInterval ?? null;
    if (fixed !== null) return next(page.fetchTime, Math.fround(fixed), page.modifiedTime);

    const limits = this.limitsOf(page);
    // A modified time in the future would push the next fetch beyond the maximum interval, where a page is due at once.
    let modifiedTime = page.modifiedTime > 0 ? Math.min(page.modifiedTime, page.fetchTime) : page.fetchTime;
    let interval = this.learnt(page, state);
    // A change detected now may have happened at any time since the last visit; the time of this visit is used.
    if (state === 'modified') modifiedTime = page.fetchTime;

    let refTime = page.fetchTime;
    if (this.props['db.fetch.schedule.adaptive.sync_delta']) {
      const delta = Math.trunc((page.fetchTime - modifiedTime) / 1000);
      if (delta > interval) interval = Math.fround(delta);
      refTime -= this.shift(delta, limits.max);
    }
    return next(refTime, Math.min(Math.max(interval, limits.min), limits.max), modifiedTime);
  }

  protected override shortestFor(page: VisitedPage): number {
    return this.limitsOf(page).min;
  }

  /** The rates at which the interval of a page grows and shrinks. */
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
   * Milliseconds by which the reference time moves back. 0 when the shift exceeds the maximum interval, as in 1.x: if it
   * were capped instead, a page that has not changed for years would always be due.
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
function next(refTime: number, interval: number, modifiedTime: number): PageTiming {
  return {
    fetchTime: refTime + Math.round(interval * 1000),
    fetchInterval: Math.round(interval),
    retries: 0,
    modifiedTime,
  };
}
