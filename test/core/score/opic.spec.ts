import { describe, expect, it } from 'vitest';
import { distributeCash, sortByScore } from '../../../src/core/score/opic.js';
import { keepingAll } from '../../../src/core/score/scoring-filter.js';

/** Its use in GENERATE and UPDATEDB: test/conformance/scores.spec.ts and test/cycle/scoring.spec.ts. */
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

  it('divides cash equally, weighted by internal or external link', () => {
    const distribute = distributeCash({ ...factors, internalFactor: 0.5, externalFactor: 2 });
    expect(distribute(paying(4), keepingAll(1))).toMatchObject({
      internalShare: 0.125,
      externalShare: 0.5,
      givenBack: 0,
    });
  });

  it('returns the cash of a page without outlinks', () => {
    expect(distributeCash(factors)(paying(0), keepingAll(1))).toMatchObject({
      internalShare: 0,
      externalShare: 0,
      givenBack: 1,
    });
  });

  it('sorts pages by score', () => {
    const page = { url: '', score: 0.3, distance: 0, status: 1, metadata: {} };
    expect(sortByScore.value(page, 1)).toBe(0.3);
  });

  it('gives filtered links a part, which is lost, with countFiltered', () => {
    const counted = distributeCash({ ...factors, countFiltered: true })(paying(2, 8), keepingAll(1));
    expect(counted).toMatchObject({ internalShare: 0.125, externalShare: 0.125, givenBack: 0 });
    expect(distributeCash(factors)(paying(2, 8), keepingAll(1)).externalShare).toBe(0.5);
  });
});
