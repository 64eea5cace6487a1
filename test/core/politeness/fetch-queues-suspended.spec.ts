import { expect, it } from 'vitest';
import { FetchQueues } from '../../../src/core/politeness/fetch-queues.js';

const rules = {
  threads: 1,
  delayMs: 0,
  minDelayMs: 0,
  maxExceptions: 5,
  exceptionDelay: 0,
  maxBackOffMs: 0,
  exceptionsClearAfter: 0,
};

it('a suspended queue gives no page until it is resumed as often as it was suspended', () => {
  const queues = new FetchQueues<string>(rules);
  queues.add('a', 'a1');
  queues.suspend('a');
  queues.suspend('a');
  expect(queues.next(1)).toEqual({ kind: 'wait', until: Infinity });
  queues.resume('a');
  expect(queues.next(2)).toEqual({ kind: 'wait', until: Infinity });
  queues.resume('a');
  queues.resume('a');
  expect(queues.next(3)).toEqual({ kind: 'item', item: 'a1', queueId: 'a' });
});

it('an empty queue stays suspended, and other queues continue', () => {
  const queues = new FetchQueues<string>(rules);
  queues.suspend('a');
  queues.add('b', 'b1');
  expect(queues.next(1_000)).toMatchObject({ item: 'b1' });
  queues.add('a', 'a1');
  expect(queues.next(2_000)).toEqual({ kind: 'wait', until: Infinity });
  queues.resume('a');
  expect(queues.next(3_000)).toMatchObject({ item: 'a1' });
});
