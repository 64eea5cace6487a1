import { describe, expect, it } from 'vitest';
import { NO_SETTINGS, type Pace, type PaceSettings, paceOf, politest } from '../../../src/core/politeness/pace.js';

const rules: Pace = { threads: 1, delay: 5000, minDelay: 0 };
const three: Pace = { ...rules, threads: 3 };

describe('the pace of a queue', () => {
  it.each<[string, Pace, Partial<PaceSettings>, number | null, Partial<Pace>, string]>([
    ['nothing said: the property', rules, {}, null, { threads: 1, delay: 5000 }, 'property'],
    ['several threads: the property', three, {}, null, { threads: 3, minDelay: 0 }, 'property'],
    ['the host may be slower', rules, { delay: 9000 }, null, { delay: 9000 }, 'host'],
    ['the host may be faster', rules, { delay: 100 }, null, { delay: 100 }, 'host'],
    ['the host may have no rest', rules, { delay: 0 }, null, { delay: 0 }, 'host'],
    ['its delay holds with several threads', three, { delay: 9000 }, null, { threads: 3, minDelay: 9000 }, 'host'],
    ['unless it has one for them', three, { delay: 9000, minDelay: 50 }, null, { minDelay: 50 }, 'host'],
    ['threads of the host', rules, { threads: 4 }, null, { threads: 4, minDelay: 0 }, 'property'],
    ['Crawl-delay is one thread wide', three, {}, 400, { threads: 1, delay: 400, minDelay: 400 }, 'robots'],
    ['Crawl-delay below the setting', rules, { delay: 9000 }, 400, { delay: 9000, threads: 1 }, 'host'],
    ['Crawl-delay above the setting', rules, { delay: 100, threads: 5 }, 400, { delay: 400, threads: 1 }, 'robots'],
  ])('%s', (_, given, settings, crawlDelay, expected, source) => {
    const found = paceOf(given, { ...NO_SETTINGS, ...settings }, crawlDelay);
    expect(found.pace).toMatchObject(expected);
    expect(found.source).toBe(source);
  });
});

it('of several hosts in one queue the politest setting counts', () => {
  const settings = [
    { threads: 3, delay: null, minDelay: 5 },
    { threads: null, delay: 100, minDelay: 9 },
    { threads: 2, delay: 50, minDelay: null },
  ];
  for (const order of [settings, settings.toReversed()])
    expect(politest(order)).toEqual({ threads: 2, delay: 100, minDelay: 9 });
  expect(politest([])).toEqual(NO_SETTINGS);
});
