import { AdaptiveSchedule } from './adaptive-schedule.js';
import type { ScheduleProps, VisitedPage } from './fetch-schedule.js';
import type { IntervalBounds } from './host-bounds.js';
import type { Rates } from './mime-rates.js';

/** The adaptive schedule with rates by content type (Nutch 1.x `MimeAdaptiveFetchSchedule`). */
export class MimeAdaptiveSchedule extends AdaptiveSchedule {
  constructor(
    props: ScheduleProps,
    private readonly rates: ReadonlyMap<string, Rates>,
    hosts?: ReadonlyMap<string, IntervalBounds>,
  ) {
    super(props, hosts);
  }

  /** The rates of the page's type, without parameters; for unlisted types those of the properties. */
  protected override ratesOf(page: VisitedPage): Rates {
    const type = (page.contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
    return this.rates.get(type) ?? super.ratesOf(page);
  }
}
