import { BaseSchedule, type PageTiming, type VisitedPage } from './fetch-schedule.js';

/** Keeps the interval, whether the content has changed or not (Nutch `DefaultFetchSchedule`). */
export class DefaultSchedule extends BaseSchedule {
  protected override byInterval(page: VisitedPage): PageTiming {
    const stored = this.startInterval(page);
    const fetchInterval = stored > 0 ? stored : this.props['db.fetch.interval.default'];
    return {
      fetchTime: page.fetchTime + fetchInterval * 1000,
      fetchInterval,
      retries: 0,
      modifiedTime: page.modifiedTime,
    };
  }
}
