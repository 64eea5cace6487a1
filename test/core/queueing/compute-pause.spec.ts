import { describe, expect, it } from 'vitest';
import { isRepeated, pauseBesideFetch } from '../../../src/core/queueing/compute-pause.js';

describe('pauseBesideFetch', () => {
  it.each([
    ['is twice as long as the computing before it', 5, 1, 10],
    ['is longer where several tasks compute, so that FETCH has as much time as beside one', 5, 2, 20],
    ['has a maximum', 400, 1, 50],
    ['is left out after less than a millisecond', 0.9, 3, 0],
  ])('%s', (_, computed, tasks, ms) => expect(pauseBesideFetch(computed, tasks)).toBe(ms));
});

describe('isRepeated', () => {
  const busy = { repeats: 0, age: 1_000, utilization: 0.9 };
  it.each([
    ['while the event loop is busy', busy, true],
    ['not when it was idle for a part of the pause', { ...busy, utilization: 0.7 }, false],
    ['five times at most', { ...busy, repeats: 5 }, false],
    ['not in a task that runs for a minute: it ends however busy the process is', { ...busy, age: 60_000 }, false],
  ])('%s', (_, pause, repeated) => expect(isRepeated(pause)).toBe(repeated));
});
