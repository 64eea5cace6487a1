import { afterEach, expect, it, vi } from 'vitest';
import type { Database } from '../../src/api/database.js';
import { EventHub } from '../../src/api/event/event-hub.js';

/** The polls of event streams for the newest events of their crawls. */

const client = { id: 'ann', kind: 'key' } as const;

afterEach(() => void vi.useRealTimers());

it('wait for each other while the database does not answer', async () => {
  vi.useFakeTimers();
  const answer = Promise.withResolvers<{ rows: object[] }>();
  const query = vi.fn(() => answer.promise);
  const dataSource = { options: { url: 'postgres://127.0.0.1:1/none' } };
  const hub = new EventHub({ pool: { query }, dataSource } as unknown as Database);
  const watch = hub.watch(1, client);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(query).toHaveBeenCalledTimes(1);
  answer.resolve({ rows: [{ crawl: 1, id: '7' }] });
  expect(await watch.wait(0)).toBe(true);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(query).toHaveBeenCalledTimes(3);
  hub.leave(watch);
  await hub.onModuleDestroy();
});
