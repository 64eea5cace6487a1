import type { Conf } from '../../conf/properties.js';
import { AdaptiveSchedule } from '../../core/schedule/adaptive-schedule.js';
import { type Bounds, readHostBounds } from '../../core/schedule/host-bounds.js';
import { type PluginFor, withRules } from '../extension-points.js';

const PROPERTY = 'db.fetch.schedule.adaptive.host.rules';

/** The hosts that have bounds of their own. */
export const hostBoundsOf = (conf: Conf): ReadonlyMap<string, Bounds> =>
  withRules(PROPERTY, conf[PROPERTY], readHostBounds);

/** `schedule-adaptive`: sooner for pages that change, later for those that do not. */
export const adaptiveSchedule: PluginFor<'makeSchedule'> = {
  id: 'schedule-adaptive',
  className: 'org.apache.nutch.crawl.AdaptiveFetchSchedule',
  description: 'Fetches pages that change sooner and others later, within bounds.',
  makeSchedule: (conf) => new AdaptiveSchedule(conf, hostBoundsOf(conf)),
};
