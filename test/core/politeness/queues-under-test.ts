/** Fetch queues with their own rules, and helpers to fill and query them. */
import { FetchQueues } from '../../../src/core/politeness/fetch-queues.js';
import type { QueueRules } from '../../../src/core/politeness/queue-rules.js';

export const rules: QueueRules = {
  threads: 1,
  delayMs: 5000,
  minDelayMs: 0,
  maxExceptions: 5,
  exceptionDelay: 5000,
  maxBackOffMs: 3_600_000,
  exceptionsClearAfter: 1_800_000,
};
export const queues = (changed: Partial<QueueRules> = {}) => new FetchQueues<string>({ ...rules, ...changed });

/** What `next` returns, abbreviated: the item, `wait N`, or `empty`. */
export function ask(fetching: FetchQueues<string>, now: number): string {
  const next = fetching.next(now);
  if (next.kind === 'item') return next.item;
  return next.kind === 'wait' ? `wait ${next.until}` : 'empty';
}

export const fill = (fetching: FetchQueues<string>, ...items: string[]) => {
  for (const item of items) fetching.add(item.slice(0, 1), item);
  return fetching;
};
