import { MimeAdaptiveSchedule } from '../../core/schedule/mime-adaptive-schedule.js';
import { readMimeRates } from '../../core/schedule/mime-rates.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { hostBoundsOf } from './schedule-adaptive.js';

const PROPERTY = 'db.fetch.schedule.mime.rules';

/** `schedule-mime-adaptive`: adaptive, at rates that depend on the content type. */
export const mimeAdaptiveSchedule: PluginFor<'makeSchedule'> = {
  id: 'schedule-mime-adaptive',
  className: 'org.apache.nutch.crawl.MimeAdaptiveFetchSchedule',
  description: 'As schedule-adaptive, with rates by content type.',
  makeSchedule: (conf) =>
    new MimeAdaptiveSchedule(conf, withRules(PROPERTY, conf[PROPERTY], readMimeRates), hostBoundsOf(conf)),
};
