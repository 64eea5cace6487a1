import { DefaultSchedule } from '../../core/schedule/default-schedule.js';
import type { PluginFor } from '../extension-points.js';

/** `schedule-default`: the same interval again. */
export const defaultSchedule: PluginFor<'makeSchedule'> = {
  id: 'schedule-default',
  className: 'org.apache.nutch.crawl.DefaultFetchSchedule',
  description: 'Fetches a page again after its interval, whatever its content did.',
  makeSchedule: (conf) => new DefaultSchedule(conf),
};
