import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/conf/properties.js';
import { acceptedDelay } from '../../src/politeness/request-gate.js';

/** What a Crawl-delay (seconds) makes of the rest after a request (ms): nothing is fetched where it is not borne. */
describe('a Crawl-delay', () => {
  it.each<[number, Record<string, string>, number | null]>([
    [30, { 'fetcher.max.crawl.delay': '30' }, 30_000],
    [30.1, { 'fetcher.max.crawl.delay': '30' }, null],
    [1, { 'fetcher.max.crawl.delay': '0' }, null],
    [86_400, { 'fetcher.max.crawl.delay': '-1' }, 86_400_000],
    [0.5, { 'fetcher.min.crawl.delay': '2' }, 2_000],
    [3, { 'fetcher.min.crawl.delay': '2' }, 3_000],
    [0, { 'fetcher.min.crawl.delay': '0' }, 0],
    // It is short in itself: what it is raised to is ours.
    [1, { 'fetcher.max.crawl.delay': '5', 'fetcher.min.crawl.delay': '10' }, 10_000],
  ])('of %d with %j is %s', (seconds, params, ms) => {
    expect(acceptedDelay(seconds, parseConf(params).conf)).toBe(ms);
  });
});
