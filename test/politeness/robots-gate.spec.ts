import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { acceptedDelay } from '../../src/politeness/robots-gate.js';

/** The delay after a request (ms) for a Crawl-delay (seconds): null when it is too long and nothing is fetched. */
describe('a Crawl-delay', () => {
  it.each<[number, Record<string, string>, number | null]>([
    [30, { 'fetcher.max.crawl.delay': '30' }, 30_000],
    [30.1, { 'fetcher.max.crawl.delay': '30' }, null],
    [1, { 'fetcher.max.crawl.delay': '0' }, null],
    [86_400, { 'fetcher.max.crawl.delay': '-1' }, 86_400_000],
    [0.5, { 'fetcher.min.crawl.delay': '2' }, 2_000],
    [3, { 'fetcher.min.crawl.delay': '2' }, 3_000],
    [0, { 'fetcher.min.crawl.delay': '0' }, 0],
    // It is short itself: only our minimum raises it.
    [1, { 'fetcher.max.crawl.delay': '5', 'fetcher.min.crawl.delay': '10' }, 10_000],
  ])('of %d with %j is %s', (seconds, params, ms) => {
    expect(acceptedDelay(seconds, parseConf(params).conf)).toBe(ms);
  });
});
