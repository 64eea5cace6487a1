import { describe, expect, it } from 'vitest';
import { simHash } from '../../../src/core/page/simhash.js';
import { MAX_SAMPLES, isMonotonous, tallied } from '../../../src/core/trap/similar-pages.js';

const emptyTally = { seen: 0, similar: 0, samples: [] };
const words = 'the events of this month are shown here and you may look at the next one or at the one before it';
const month = (n: number) => simHash(`Month ${n}. ${words} ${words.split(' ').toReversed().join(' ')}`)!;

describe('the pages of a template', () => {
  it('are near-duplicates when their signatures, of any kind, are equal', () => {
    expect(tallied(emptyTally, ['aa', 'aa', 'bb', 'aa'], 0)).toEqual({ seen: 4, similar: 2, samples: ['aa', 'bb'] });
  });

  it('are near-duplicates when SimHash signatures differ in few bits', () => {
    expect(tallied(emptyTally, ['00000000000000ff', '00000000000000fe', 'ff000000000000ff'], 1)).toMatchObject({
      similar: 1,
    });
    const calendar = tallied(
      emptyTally,
      Array.from({ length: 20 }, (_, n) => month(n)),
      6,
    );
    expect(calendar).toMatchObject({ seen: 20, similar: 17 });
  });

  it('are recorded in a bounded number of samples', () => {
    const tally = tallied(
      emptyTally,
      Array.from({ length: 100 }, (_, n) => `${n}`.padStart(4, '0')),
      6,
    );
    expect([tally.seen, tally.similar, tally.samples.length]).toEqual([100, 0, MAX_SAMPLES]);
  });

  it.each([
    [{ seen: 9, similar: 9 }, 10, 0.9, false],
    [{ seen: 10, similar: 9 }, 10, 0.9, true],
    [{ seen: 10, similar: 8 }, 10, 0.9, false],
    [{ seen: 1_000, similar: 1_000 }, -1, 0.9, false],
    [{ seen: 0, similar: 0 }, 0, 0.9, false],
  ])('%j are monotonous after %i pages with share %d: %s', (tally, after, share, stops) => {
    expect(isMonotonous({ ...tally, samples: [] }, after, share)).toBe(stops);
  });
});
