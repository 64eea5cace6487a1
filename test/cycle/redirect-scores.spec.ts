import { describe, expect, it } from 'vitest';
import { page, redirect } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { byPath } from './table.js';

useCrawler();

describe('the last page of a redirect chain', () => {
  it.each([
    ['fetched in later rounds', '0', 3],
    ['fetched in the same FETCH', '2', 1],
  ])('%s gets the score of the seed and hands it on to its links', async (_, max, rounds) => {
    const site = await crawler.site({
      '/a': redirect('/b'),
      '/b': redirect('/c', 301),
      '/c': page('<a href="/d">d</a>'),
    });
    const crawlId = `chain${max}`;
    await crawler.inject(crawlId, [`${site.url}/a`]);
    for (let n = 0; n < rounds; n++) await cycle.round({ crawlId, conf: { 'http.redirect.max': max } });
    expect(await byPath(cycle, ({ score, cash }) => [score, cash], crawlId)).toEqual({
      '/a': [1, 0],
      '/b': [1, 0],
      '/c': [1, 0],
      '/d': [1, 1],
    });
  });
});
