import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../src/core/conf/nearest-name.js';

describe('the nearest of the names topN, crawl and http.agent.name', () => {
  it.each([
    ['topn', 'topN'],
    ['tpoN', 'topN'],
    ['crwal', 'crawl'],
    ['crawls', 'crawl'],
    ['htpt.agetn.name', 'http.agent.name'],
    ['top', null],
    ['carwll', null],
    ['x'.repeat(201), null],
  ])('to %s is %s', (given, nearest) => {
    expect(nearestName(given, ['topN', 'crawl', 'http.agent.name'])).toBe(nearest);
  });
});
