import { int } from './property.js';

/** Properties that only apply in configuration `default`: they govern periodic work for all crawls, not a job. */
export const propertiesOfDefault: readonly string[] = [
  'fetch.history.months',
  'job.event.days',
  'job.history.days',
  'webhook.attempts.max',
];

/** Our own properties: how long history is kept, how often a webhook is attempted. */
export const serverProperties = {
  'fetch.history.months': int(
    12,
    'Months for which the visits of pages are kept. Only what configuration `default` says counts, for all crawls.',
    {
      min: 1,
      max: 1_200,
      unit: 'months',
    },
  ),
  'job.event.days': int(
    7,
    'Days for which events are kept; those of a job that has not ended, except its progress, are kept until it has. Only what configuration `default` says counts, for all jobs.',
    { min: 1, max: 36_500, unit: 'days' },
  ),
  'job.history.days': int(
    30,
    'Days for which ended jobs are kept, with the lists of their inline seeds and the snapshots of their configurations, and batches without pages. Only what configuration `default` says counts, for all jobs.',
    { min: 1, max: 36_500, unit: 'days' },
  ),
  'webhook.attempts.max': int(
    12,
    'Attempts for a delivery of a webhook, after which it is given up (DEAD). 12 take about 27 hours, each further one 6. Only what configuration `default` says counts, for all webhooks.',
    { min: 1, max: 100, unit: 'attempts' },
  ),
};
