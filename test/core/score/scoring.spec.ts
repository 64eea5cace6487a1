import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConf } from '../../../src/core/conf/properties.js';
import { type DistributingPage, keepingAll } from '../../../src/core/score/scoring-filter.js';
import { makeScoring } from '../../../src/plugin/scoring-filters.js';
import { unicodeText } from '../../support/unicode-text.js';

const scoringOf = (plugins: string, params: Record<string, string> = {}) =>
  makeScoring(parseConf({ 'plugin.includes': plugins, ...params }).conf);
const paying = (values: Partial<DistributingPage> = {}): DistributingPage => ({
  url: 'http://a.test/',
  spend: 1,
  outlinks: 4,
  links: 4,
  distance: 0,
  contentScore: 0,
  metadata: {},
  headers: {},
  ...values,
});
const sorted = { url: 'http://a.test/x', score: 2, distance: 0, status: 1, metadata: {} };

describe('the chain of scoring filters', () => {
  it('distributes nothing and sorts by score without filters', () => {
    const scoring = scoringOf('parse-html');
    expect(scoring.distribute(paying(), keepingAll(1))).toEqual(keepingAll(1));
    expect(scoring).toMatchObject({ sortValue: null, sortedByScore: true, pageScore: null, orphans: null });
  });

  it('sorts by score with scoring-opic alone, without reading pages', () => {
    const scoring = scoringOf('scoring-opic');
    expect(scoring).toMatchObject({ sortedByScore: true, readsPages: false });
    expect(scoring.sortValue!(sorted)).toBe(2);
    expect(scoring.distribute(paying(), keepingAll(1))).toMatchObject({ externalShare: 0.25, givenBack: 0 });
  });

  it.each(['', 'scoring-depth scoring-opic', 'org.apache.nutch.scoring.opic.OPICScoringFilter'])(
    'applies two filters, in the order %j (G21, G22)',
    (order) => {
      const scoring = scoringOf('scoring-(opic|depth)', { 'scoring.filter.order': order, 'scoring.depth.max': '5' });
      expect(scoring.sortedByScore).toBe(false);
      expect(scoring.sortValue!({ ...sorted, distance: 1 })).toBe(2 * (1 + 3));
      expect(scoring.distribute(paying(), keepingAll(1))).toMatchObject({ externalShare: 0.25, follow: true });
      expect(scoring.distribute(paying({ distance: 4 }), keepingAll(1))).toMatchObject({ follow: false });
    },
  );

  it('combines the metadata that its filters carry', () => {
    const both = { 'urlmeta.tags': 'topic', 'scoring.parse.md': 'topic,lang' };
    const scoring = scoringOf('urlmeta|scoring-metadata', both);
    const page = paying({ metadata: { topic: 'sport', lang: 'it', other: 'x' } });
    expect(scoring.distribute(page, keepingAll(1)).carried).toEqual({ topic: 'sport', lang: 'it' });
  });

  it('squares the sort value with two filters that use the score, and keeps the order (1.x)', () => {
    const scoring = scoringOf('scoring-(opic|link)');
    expect(scoring.sortedByScore).toBe(true);
    expect(scoring.sortValue!(sorted)).toBe(4);
  });
});

describe('scoring-depth', () => {
  const follows = (page: Partial<DistributingPage>, params: Record<string, string> = {}) =>
    scoringOf('scoring-depth', { 'scoring.depth.max': '3', ...params }).distribute(paying(page), keepingAll(1)).follow;
  const override = { 'scoring.depth.override.pattern': '/deep/', 'scoring.depth.max.override': '5' };

  it.each([
    [0, {}, {}, true],
    [1, {}, {}, true],
    [2, {}, {}, false],
    [2, { _maxdepth_: '4' }, {}, true],
    [0, { _maxdepth_: '1' }, {}, false],
    [2, { _maxdepth_: 'many' }, {}, false],
  ])('follows links at distance %i with metadata %j and properties %j: %s', (distance, metadata, params, expected) => {
    expect(follows({ distance, metadata: metadata as Record<string, string> }, params)).toBe(expected);
  });
  it('uses scoring.depth.max.override for URLs that match the override pattern', () => {
    expect(follows({ distance: 3, url: 'http://a.test/deep/1' }, override)).toBe(true);
    expect(follows({ distance: 4, url: 'http://a.test/deep/1' }, override)).toBe(false);
    expect(follows({ distance: 3, url: 'http://a.test/1' }, override)).toBe(false);
  });
  it('passes _maxdepth_ of a seed on to outlinks', () => {
    const { carried } = scoringOf('scoring-depth').distribute(paying({ metadata: { _maxdepth_: '4' } }), keepingAll(1));
    expect(carried).toEqual({ _maxdepth_: '4' });
  });
  it('refuses a pattern that cannot run in linear time, with its property and position', () => {
    expect(() => scoringOf('scoring-depth', { 'scoring.depth.override.pattern': '(a)\\1' })).toThrow(
      /^scoring.depth.override.pattern: rule 1, position/,
    );
  });
  it('multiplies the sort value by the remaining depth plus one', () => {
    const { sortValue } = scoringOf('scoring-depth', { 'scoring.depth.max': '3' });
    expect([0, 1, 2, 9].map((distance) => sortValue!({ ...sorted, distance }))).toEqual([3, 2, 1, 1]);
  });
});

describe('metadata carried to outlinks', () => {
  it('is taken from headers when the page has none', () => {
    const lists = { 'scoring.parse.md': 'Server,topic', 'scoring.content.md': 'server' };
    const page = paying({ headers: { server: 'nginx', topic: 'x' } });
    expect(scoringOf('scoring-metadata', lists).distribute(page, keepingAll(1)).carried).toEqual({ Server: 'nginx' });
  });
  it('is bounded in number and length, and excludes inherited properties', () => {
    const names = Array.from({ length: 200 }, (_, i) => `k${i}`);
    const metadata = Object.fromEntries(names.map((name) => [name, 'x'.repeat(100)]));
    const { carried } = scoringOf('urlmeta', { 'urlmeta.tags': names.join(',') }).distribute(
      paying({ metadata }),
      keepingAll(1),
    );
    expect(Object.keys(carried)).toHaveLength(50);
    const big = scoringOf('urlmeta', { 'urlmeta.tags': 'a,b,toString' }).distribute(
      paying({ metadata: { a: 'x'.repeat(8_000), b: 'y'.repeat(8_000) } }),
      keepingAll(1),
    );
    expect(Object.keys(big.carried)).toEqual(['a']);
  });
});

describe('scoring-similarity', () => {
  const score = (text: string, params: Record<string, string> = {}) =>
    scoringOf('scoring-similarity', { 'scoring.similarity.gold.text': 'coffee roasting and coffee beans', ...params })
      .pageScore!({ url: 'http://a.test/', title: '', text, metadata: {} }, 0);

  it('is 1 for the gold text, 0 without a common word, and between for other texts', () => {
    expect(score('Coffee roasting AND coffee beans')).toBeCloseTo(1, 12);
    expect(score('football tonight')).toBe(0);
    expect(score('')).toBe(0);
    // Gold: coffee 2, three more; text: coffee 1, tea 1. 2 / sqrt(7 * 2).
    expect(score('coffee tea')).toBeCloseTo(2 / Math.sqrt(14), 12);
  });
  it.each([
    ['the text begins with', 'Tea\ncoffee'],
    ['the text lacks', 'coffee'],
  ])('counts a title once that %s (G19)', (_, text) => {
    const { pageScore } = scoringOf('scoring-similarity', {
      'scoring.similarity.gold.text': 'coffee roasting and coffee beans',
    });
    const page = { url: 'http://a.test/', title: 'Tea', text, metadata: {} };
    expect(pageScore!(page, 0)).toBeCloseTo(2 / Math.sqrt(14), 12);
  });
  it('leaves stop words out', () => {
    expect(score('and', { 'scoring.similarity.stop.words': 'the\nand' })).toBe(0);
    expect(score('and')).toBeGreaterThan(0);
  });
  it('compares n-grams of words', () => {
    const pairs = { 'scoring.similarity.ngrams': '2,2' };
    expect(score('roasting coffee', pairs)).toBe(0);
    expect(score('coffee roasting', pairs)).toBeGreaterThan(0);
  });
  it('is 0 without a gold text', () => expect(score('coffee', { 'scoring.similarity.gold.text': '' })).toBe(0));
  it('is between 0 and 1 for any text', () => {
    fc.assert(
      fc.property(unicodeText(), (text) => {
        expect(score(`coffee ${text}`)).toBeGreaterThan(0);
        expect(score(text)).toBeLessThanOrEqual(1);
      }),
    );
  });
  it('passes the content score of a page on as start score', () => {
    const { start } = scoringOf('scoring-similarity').distribute(paying({ contentScore: 0.5 }), keepingAll(1));
    expect(start).toBe(0.5);
  });
});
