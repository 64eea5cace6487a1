/** Schedules: when a page is fetched again (`db.fetch.schedule.class`). */
import type { Conf } from '../../core/conf/properties.js';
import { AdaptiveSchedule } from '../../core/schedule/adaptive-schedule.js';
import { DefaultSchedule } from '../../core/schedule/default-schedule.js';
import { type IntervalBounds, readHostBounds } from '../../core/schedule/host-bounds.js';
import { MimeAdaptiveSchedule } from '../../core/schedule/mime-adaptive-schedule.js';
import { type Rates, readMimeRates } from '../../core/schedule/mime-rates.js';
import { type PluginFor, withRules } from '../extension-points.js';

const HOST_RULES = 'db.fetch.schedule.adaptive.host.rules';
const MIME_RULES = 'db.fetch.schedule.mime.rules';

/** Hosts with their own bounds. */
const hostBoundsOf = (conf: Conf): ReadonlyMap<string, IntervalBounds> =>
  withRules(HOST_RULES, conf[HOST_RULES], readHostBounds);

const mimeRatesOf = (conf: Conf): ReadonlyMap<string, Rates> => withRules(MIME_RULES, conf[MIME_RULES], readMimeRates);

export const schedules: readonly PluginFor<'makeSchedule'>[] = [
  {
    id: 'schedule-default',
    className: 'org.apache.nutch.crawl.DefaultFetchSchedule',
    description: 'Fetches a page again after its interval, whether or not its content has changed.',
    makeSchedule: (conf) => new DefaultSchedule(conf),
  },
  {
    id: 'schedule-adaptive',
    className: 'org.apache.nutch.crawl.AdaptiveFetchSchedule',
    description: 'Fetches pages that change sooner and others later, within bounds.',
    makeSchedule: (conf) => new AdaptiveSchedule(conf, hostBoundsOf(conf)),
  },
  {
    id: 'schedule-mime-adaptive',
    className: 'org.apache.nutch.crawl.MimeAdaptiveFetchSchedule',
    description: 'As schedule-adaptive, with rates by content type.',
    makeSchedule: (conf) => new MimeAdaptiveSchedule(conf, mimeRatesOf(conf), hostBoundsOf(conf)),
  },
];
