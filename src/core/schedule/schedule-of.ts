import { AdaptiveSchedule } from './adaptive-schedule.js';
import { DefaultSchedule } from './default-schedule.js';
import type { FetchSchedule, ScheduleProps } from './fetch-schedule.js';

/** The schedules there are, under the simple names of the Nutch classes. */
export const SCHEDULE_NAMES = ['DefaultFetchSchedule', 'AdaptiveFetchSchedule'] as const;

/**
 * The schedule that `db.fetch.schedule.class` names; the package in front of the class name does not matter.
 * @throws RangeError for a class that is none of `SCHEDULE_NAMES`
 */
export function scheduleOf(className: string, props: ScheduleProps): FetchSchedule {
  const simple = className.slice(className.lastIndexOf('.') + 1).trim();
  if (simple === 'DefaultFetchSchedule') return new DefaultSchedule(props);
  if (simple === 'AdaptiveFetchSchedule') return new AdaptiveSchedule(props);
  throw new RangeError(`unknown fetch schedule ${simple}: use one of ${SCHEDULE_NAMES.join(', ')}`);
}
