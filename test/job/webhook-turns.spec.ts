import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebhooksUnderTest } from './webhooks-under-test.js';

/** Webhooks take turns: none waits for as long as others are owed something. */

let hooks: WebhooksUnderTest;
beforeAll(async () => (hooks = await WebhooksUnderTest.open()));
afterAll(() => hooks?.close());
beforeEach(() => hooks.reset());
afterEach(() => hooks.closeSenders());

/** Webhooks in the order of their ids, each owed so many deliveries. */
async function owed(paths: string[], deliveries: number): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) ids.push((await hooks.hook({ url: `${hooks.url}/${path}` })).id);
  const { id } = await hooks.jobs.create();
  for (let n = 0; n < deliveries; n++) await hooks.warn(id, n);
  return ids;
}

describe('the turns of webhooks', () => {
  it('go to those that have waited longest, new ones first', async () => {
    const ids = await owed(['a', 'b', 'c'], 2);
    const taken: string[] = [];
    const next = async (): Promise<void> => {
      const [turn] = await hooks.outbox.take(1);
      await hooks.outbox.give(turn!);
      taken.push(turn!.webhook);
    };
    for (let n = 0; n < 4; n++) await next();
    const fresh = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    for (let n = 0; n < 2; n++) await next();
    expect(taken).toEqual([...ids, ids[0], fresh.id, ids[1]]);
  });

  it('end after a while, however much is owed', async () => {
    const slow = Array.from({ length: 8 }, (_, i) => `slow${i}`);
    const ids = await owed([...slow, 'quick'], 40);
    hooks.answer = async (_, { path }) => {
      if (path.includes('slow')) await sleep(100);
      return 200;
    };
    await hooks.sendUntil(hooks.sender({ turnMs: 300 }), hooks.allIn(ids.at(-1)!, 'DELIVERED'));
    // The quick one waits for one turn of the others, not for the end of what they are owed.
    expect(hooks.received.filter(({ path }) => path.includes('slow')).length).toBeLessThan(8 * 20);
  });
});
