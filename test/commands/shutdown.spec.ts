import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Shutdown } from '../../src/commands/shutdown.js';

/** What a shutdown says of that which it closes. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('abandons what does not close in 30 s, and says so only of that', async () => {
  const lines: string[] = [];
  const shutdown = new Shutdown((line) => void lines.push(line));
  const closed: string[] = [];
  shutdown.add('first', async () => void closed.push('first'));
  shutdown.add('second', () => new Promise(() => undefined));
  shutdown.add('third', async () => void closed.push('third'));
  const ended = shutdown.close();
  await vi.advanceTimersByTimeAsync(30_000);
  await ended;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([closed, lines]).toEqual([['third', 'first'], ['second does not close']]);
});
