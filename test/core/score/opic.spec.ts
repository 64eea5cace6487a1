import { describe, expect, it } from 'vitest';
import { distributeCash, sortByScore } from '../../../src/core/score/opic.js';
import { keepingAll } from '../../../src/core/score/scoring.js';

/** What GENERATE and UPDATEDB make of it: test/conformance/scores.spec.ts and test/cycle/scoring.spec.ts. */
describe('OPIC (Abiteboul, Preda, Cobena 2003; Nutch scoring-opic)', () => {
  const paying = (outlinks: number, links = outlinks) => ({
    url: '',
    spend: 1,
    outlinks,
    links,
    distance: 0,
    contentScore: 0,
    metadata: {},
    headers: {},
  });
  const factors = { internalFactor: 1, externalFactor: 1, countFiltered: false };

  it('hands out equal parts, weighed by the kind of link', () => {
    const distribute = distributeCash({ ...factors, internalFactor: 0.5, externalFactor: 2 });
    expect(distribute(paying(4), keepingAll(1))).toMatchObject({
      internalShare: 0.125,
      externalShare: 0.5,
      givenBack: 0,
    });
  });

  it('gives the spend back where there is nobody to pay', () => {
    expect(distributeCash(factors)(paying(0), keepingAll(1))).toMatchObject({
      internalShare: 0,
      externalShare: 0,
      givenBack: 1,
    });
  });

  it('orders pages by score', () => {
    const page = { url: '', score: 0.3, distance: 0, status: 1, metadata: {} };
    expect(sortByScore.value(page, 1)).toBe(0.3);
  });

  it('gives links that were filtered out their part, which is lost, where they count', () => {
    const counted = distributeCash({ ...factors, countFiltered: true })(paying(2, 8), keepingAll(1));
    expect(counted).toMatchObject({ internalShare: 0.125, externalShare: 0.125, givenBack: 0 });
    expect(distributeCash(factors)(paying(2, 8), keepingAll(1)).externalShare).toBe(0.5);
  });
});
