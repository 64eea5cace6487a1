import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { WebhooksUnderTest, secret } from './webhooks-under-test.js';

let hooks: WebhooksUnderTest;
beforeAll(async () => (hooks = await WebhooksUnderTest.open()));
afterAll(() => hooks?.close());
beforeEach(() => hooks.reset());

it.each([
  { what: 'webhooks', limits: { max: 3 } },
  { what: 'webhooks of an owner', limits: { max: 100, maxOfOwner: 3 } },
])('requests at the same time do not pass the limit of $what', async ({ limits }) => {
  const wanted = { url: hooks.url, events: ['warning' as const], crawlId: null, owner: 'one', secret };
  const made = await Promise.all(Array.from({ length: 12 }, () => hooks.store.create(wanted, limits)));
  expect(made.filter((hook) => hook !== undefined)).toHaveLength(3);
});
