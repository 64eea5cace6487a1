import { problem, retriable, shown } from '../problem.js';
import { fieldRefused } from '../refused-fields.js';

export const webhookUnknown = problem(
  404,
  'WEBHOOK_UNKNOWN',
  'Unknown webhook',
  (id: string) => `There is no webhook ${shown(id)}; GET /v1/webhooks lists all webhooks.`,
);
export const deliveryUnknown = problem(
  404,
  'DELIVERY_UNKNOWN',
  'Unknown delivery',
  (id: string, webhook: string) =>
    `Webhook ${shown(webhook)} has no delivery ${shown(id)}; GET /v1/webhooks/{id}/deliveries lists all deliveries.`,
);
export const webhookOfAnother = problem(
  403,
  'WEBHOOK_OF_ANOTHER',
  'Webhook of another key',
  (id: string) => `Webhook ${shown(id)} was created by another key: only that key or an admin key may do this.`,
);
const urlRefused = problem(400, 'WEBHOOK_URL_REFUSED', 'URL of the webhook refused', (why: string) => why);
/** @param why what follows `url` in the sentence */
export const webhookUrlRefused = (why: string, given: string) =>
  fieldRefused('url', `url ${why} (given: ${shown(given)})`, urlRefused);
export const webhookOff = problem(
  409,
  'WEBHOOK_OFF',
  'Webhook is off',
  (id: string, why: string) => `Webhook ${shown(id)} is off (${why}); delete it and create a new one.`,
);
export const tooManyDeliveries = retriable(
  60,
  problem(
    429,
    'TOO_MANY_DELIVERIES',
    'Too many deliveries',
    (max: number) => `${max} deliveries of this webhook wait to be sent; at most that many may wait.`,
  ),
);
export const tooManyWebhooks = problem(
  409,
  'TOO_MANY_WEBHOOKS',
  'Too many webhooks',
  (max: number, whose = '') => `There are ${max} webhooks${whose} already; delete one that is not needed.`,
);
