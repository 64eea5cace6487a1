import { describe, expect, it } from 'vitest';
import { NO_SETTINGS, type Pace, type PaceSettings, paceOf, politest } from '../../../src/core/politeness/pace.js';

const rules: Pace = { threads: 1, delay: 5000, minDelay: 0 };
const three: Pace = { ...rules, threads: 3 };

describe('the pace of a queue', () => {
  it.each<[string, Pace, Partial<PaceSettings>, number | null, Partial<Pace>, string]>([
    ['is that of the property without settings', rules, {}, null, { threads: 1, delay: 5000 }, 'property'],
    ['is that of the property with several threads', three, {}, null, { threads: 3, minDelay: 0 }, 'property'],
    ['may be slower for a host', rules, { delay: 9000 }, null, { delay: 9000 }, 'host'],
    ['may be faster for a host', rules, { delay: 100 }, null, { delay: 100 }, 'host'],
    ['may have no delay for a host', rules, { delay: 0 }, null, { delay: 0 }, 'host'],
    [
      'has the delay of the host with several threads, too',
      three,
      { delay: 9000 },
      null,
      { threads: 3, minDelay: 9000 },
      'host',
    ],
    [
      'has the minimum delay of the host with several threads, if set',
      three,
      { delay: 9000, minDelay: 50 },
      null,
      { minDelay: 50 },
      'host',
    ],
    ['has the threads of the host', rules, { threads: 4 }, null, { threads: 4, minDelay: 0 }, 'property'],
    ['has one thread with Crawl-delay', three, {}, 400, { threads: 1, delay: 400, minDelay: 400 }, 'robots'],
    [
      'has the delay of the host when Crawl-delay is shorter',
      rules,
      { delay: 9000 },
      400,
      { delay: 9000, threads: 1 },
      'host',
    ],
    [
      'has Crawl-delay when it is longer than the delay of the host',
      rules,
      { delay: 100, threads: 5 },
      400,
      { delay: 400, threads: 1 },
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
    { threads: 3, delay: null, minDelay: 5 },
    { threads: null, delay: 100, minDelay: 9 },
    { threads: 2, delay: 50, minDelay: null },
  ];
  for (const order of [settings, settings.toReversed()])
    expect(politest(order)).toEqual({ threads: 2, delay: 100, minDelay: 9 });
  expect(politest([])).toEqual(NO_SETTINGS);
});
