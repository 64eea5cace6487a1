/**
 * A schedule that learns (Nutch 1.x `AdaptiveFetchSchedule`).
 *
 * A page that changed is visited sooner next time, one that did not later, within bounds. With `sync_delta` the next
 * visit is also moved toward the page's own rhythm: an interval shorter than the time since the last change grows to
 * it, and the clock is set back by a share of that time. The arithmetic is that of the original, 32-bit floats
 * included, so that the numbers agree to the millisecond.
 */
import { BaseSchedule, type ModifiedState, type PageTiming, type VisitedPage } from './fetch-schedule.js';

export class AdaptiveSchedule extends BaseSchedule {
  override afterFetch(page: VisitedPage, state: ModifiedState): PageTiming {
    const fixed = page.fixedInterval ?? null;
    if (fixed !== null) return next(page.fetchTime, Math.fround(fixed), page.modifiedTime);

    let modifiedTime = page.modifiedTime > 0 ? page.modifiedTime : page.fetchTime;
    let interval = this.learnt(page.fetchInterval, state);
    // A change seen now may have happened at any time since the last visit; the visit itself stands for it.
    if (state === 'modified') modifiedTime = page.fetchTime;

    let clock = page.fetchTime;
    if (this.props['db.fetch.schedule.adaptive.sync_delta']) {
      const delta = Math.trunc((page.fetchTime - modifiedTime) / 1000);
      if (delta > interval) interval = Math.fround(delta);
      clock -= this.shift(delta);
    }
    return next(clock, this.bounded(interval), modifiedTime);
  }

  private learnt(stored: number, state: ModifiedState): number {
    const interval = Math.fround(stored === 0 ? this.props['db.fetch.interval.default'] : stored);
    if (state === 'modified') {
      return Math.fround(interval * Math.fround(1 - Math.fround(this.props['db.fetch.schedule.adaptive.dec_rate'])));
    }
    if (state === 'notmodified') {
      return Math.fround(interval * Math.fround(1 + Math.fround(this.props['db.fetch.schedule.adaptive.inc_rate'])));
    }
    return interval;
  }

  /** Milliseconds to set the clock back; none when the shift is longer than the longest interval, as in the original. */
  private shift(deltaSeconds: number): number {
    const seconds = deltaSeconds * Math.fround(this.props['db.fetch.schedule.adaptive.sync_delta_rate']);
    return seconds > this.props['db.fetch.schedule.adaptive.max_interval'] ? 0 : Math.round(seconds * 1000);
  }

  private bounded(interval: number): number {
    const least = this.props['db.fetch.schedule.adaptive.min_interval'];
    const most = this.props['db.fetch.schedule.adaptive.max_interval'];
    return Math.min(Math.max(interval, least), most);
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
