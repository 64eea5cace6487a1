import { describe, expect, it } from 'vitest';
import { NO_SETTINGS, type Pace, type PaceSettings, paceOf, politest } from '../../../src/core/politeness/pace.js';

const rules: Pace = { threads: 1, delayMs: 5000, minDelayMs: 0 };
const three: Pace = { ...rules, threads: 3 };

describe('the pace of a queue', () => {
  it.each<[string, Pace, Partial<PaceSettings>, number | null, Partial<Pace>, string]>([
    ['is that of the property without settings', rules, {}, null, { threads: 1, delayMs: 5000 }, 'property'],
    ['is that of the property with several threads', three, {}, null, { threads: 3, minDelayMs: 0 }, 'property'],
    ['may be slower for a host', rules, { delayMs: 9000 }, null, { delayMs: 9000 }, 'host'],
    ['may be faster for a host', rules, { delayMs: 100 }, null, { delayMs: 100 }, 'host'],
    ['may have no delay for a host', rules, { delayMs: 0 }, null, { delayMs: 0 }, 'host'],
    [
      'has the delay of the host with several threads, too',
      three,
      { delayMs: 9000 },
      null,
      { threads: 3, minDelayMs: 9000 },
      'host',
    ],
    [
      'has the minimum delay of the host with several threads, if set',
      three,
      { delayMs: 9000, minDelayMs: 50 },
      null,
      { minDelayMs: 50 },
      'host',
    ],
    ['has the threads of the host', rules, { threads: 4 }, null, { threads: 4, minDelayMs: 0 }, 'property'],
    ['has one thread with Crawl-delay', three, {}, 400, { threads: 1, delayMs: 400, minDelayMs: 400 }, 'robots'],
    [
      'has the delay of the host when Crawl-delay is shorter',
      rules,
      { delayMs: 9000 },
      400,
      { delayMs: 9000, threads: 1 },
      'host',
    ],
    [
      'has Crawl-delay when it is longer than the delay of the host',
      rules,
      { delayMs: 100, threads: 5 },
      400,
      { delayMs: 400, threads: 1 },
      'robots',
    ],
  ])('%s', (_, given, settings, crawlDelay, expected, source) => {
    const found = paceOf(given, { ...NO_SETTINGS, ...settings }, crawlDelay);
    expect(found.pace).toMatchObject(expected);
    expect(found.source).toBe(source);
  });
});

it('the politest setting of several hosts in one queue applies', () => {
  const settings = [
    { threads: 3, delayMs: null, minDelayMs: 5 },
    { threads: null, delayMs: 100, minDelayMs: 9 },
    { threads: 2, delayMs: 50, minDelayMs: null },
  ];
  for (const order of [settings, settings.toReversed()])
    expect(politest(order)).toEqual({ threads: 2, delayMs: 100, minDelayMs: 9 });
  expect(politest([])).toEqual(NO_SETTINGS);
});
