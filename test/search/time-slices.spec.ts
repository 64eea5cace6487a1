import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TimeSlices, inTimeSlices, pauseForOthers } from '../../src/search/time-slices.js';

const STEPS = 20;

it('one of several computations runs in each iteration of the event loop, in the order of their pauses', async () => {
  const ran: string[] = [];
  const steps = function* (name: string): Generator<void, string> {
    for (let step = 0; step < STEPS; step++) {
      ran.push(name);
      yield;
    }
    return name;
  };
  const names = ['a', 'b', 'c'];
  const results = Promise.all(names.map((name) => inTimeSlices(steps(name), new TimeSlices(pauseForOthers, 0))));
  // The first step of each precedes its first pause.
  expect(ran.splice(0)).toEqual(names);
  const perIteration: number[] = [];
  for (let rest = names.length * (STEPS - 1); rest > 0; rest -= perIteration.at(-1)!) {
    const before = ran.length;
    await nextIteration();
    perIteration.push(ran.length - before);
  }
  expect(await results).toEqual(names);
  expect(Math.max(...perIteration)).toBe(1);
  expect(ran).toEqual(Array.from({ length: STEPS - 1 }, () => names).flat());
});
