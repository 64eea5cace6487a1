/**
 * Guards of external scoring filters: an invalid number or distribution is ignored, as if the filter had not run, so that
 * a broken plugin does not change the order of pages.
 */
import type {
  Distribute,
  Distribution,
  OrphanLimits,
  PageScore,
  PayingPage,
  ReadText,
  ScoredSeed,
  SeedScore,
  SortValue,
} from '../core/score/scoring.js';
import { storableStart } from '../db/sql.js';
import { unawaited } from './unawaited.js';

type Fail = (error: unknown) => string;
type Given = Readonly<Record<string, unknown>>;

const MAX_METADATA = 100;
const MAX_TEXT_LENGTH = 4_096;

/** The number that `work` returns; `before` where it throws or returns none. */
function number(work: () => unknown, before: number, fail: Fail): number {
  try {
    const given = work();
    if (typeof given === 'number' && Number.isFinite(given)) return given;
    const kind = unawaited(given) ? 'a promise' : typeof given;
    fail(`it answered ${typeof given === 'number' ? String(given) : kind}`);
  } catch (error) {
    fail(error);
  }
  return before;
}

/** A filter that returns a number: for a seed, or for the content of a page. */
export function guardedScore(made: unknown, fail: Fail): (SeedScore & PageScore) | undefined {
  if (typeof made !== 'function') return undefined;
  return (page: ScoredSeed | ReadText, score: number) =>
    number(() => (made as (...given: unknown[]) => unknown)(page, score), score, fail);
}

export function guardedSortValue(made: unknown, fail: Fail): SortValue | undefined {
  const { value, followsScore } = (made ?? {}) as Given;
  if (typeof value !== 'function') return undefined;
  return {
    value: (page, sort) => number(() => value.call(made, page, sort) as unknown, sort, fail),
    followsScore: followsScore === true,
  };
}

/** The fields that the filter returns replace those of the previous filter. */
export function guardedDistribute(made: unknown, fail: Fail): Distribute | undefined {
  if (typeof made !== 'function') return undefined;
  return (page: PayingPage, shares: Distribution) => {
    try {
      const given: unknown = (made as (...given: unknown[]) => unknown)(page, shares);
      const read = readDistribution(given, shares);
      if (read !== undefined) return read;
      fail(`it answered no distribution`);
    } catch (error) {
      fail(error);
    }
    return shares;
  };
}

function readDistribution(given: unknown, shares: Distribution): Distribution | undefined {
  if (typeof given !== 'object' || given === null || unawaited(given)) return undefined;
  const all = { ...shares, ...(given as Partial<Distribution>) };
  const { internalShare, externalShare, givenBack, follow, start, carried } = all;
  const numbers = [internalShare, externalShare, givenBack, start];
  if (!numbers.every((one) => typeof one === 'number' && Number.isFinite(one)) || typeof follow !== 'boolean')
    return undefined;
  const texts = Object.entries(carried ?? {}).slice(0, MAX_METADATA);
  if (!texts.every(([, value]) => typeof value === 'string')) return undefined;
  const cut = texts.map(([name, value]) => [storableStart(name, 256), storableStart(value, MAX_TEXT_LENGTH)]);
  return {
    internalShare,
    externalShare,
    givenBack,
    follow,
    start,
    carried: Object.fromEntries(cut) as Record<string, string>,
  };
}

export function guardedOrphanLimits(made: unknown): OrphanLimits | undefined {
  const { goneAfter, orphanAfter } = (made ?? {}) as Given;
  const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1e10;
  return isTime(goneAfter) && isTime(orphanAfter) ? { goneAfter, orphanAfter } : undefined;
}
