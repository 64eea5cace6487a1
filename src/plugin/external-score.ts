/**
 * Guards of external scoring filters: an invalid number or distribution is ignored, as if the filter had not run, so that
 * a broken plugin does not change the order of pages.
 */
import type {
  Distribute,
  Distribution,
  OrphanLimits,
  PageScore,
  DistributingPage,
  ReadText,
  ScoredSeed,
  SeedScore,
  SortValue,
} from '../core/score/scoring-filter.js';
import { storableStart } from '../db/sql.js';
import { checkedFunction, type Fail, readNumber, type Unchecked } from './external-call.js';
import { kindOf } from './kind-of.js';

const MAX_METADATA = 100;
const MAX_NAME_LENGTH = 256;
const MAX_TEXT_LENGTH = 4_096;

/** A filter that returns a number: for a seed, or for the content of a page. */
export const guardedScore = (made: unknown, fail: Fail): (SeedScore & PageScore) | undefined =>
  checkedFunction<[ScoredSeed | ReadText, number], number>(made, fail, readNumber, (_, _page, score) => score);

export function guardedSortValue(made: unknown, fail: Fail): SortValue | undefined {
  const { value, followsScore } = (made ?? {}) as Unchecked;
  const own = typeof value === 'function' ? value.bind(made) : undefined;
  const read = checkedFunction<Parameters<SortValue['value']>, number>(own, fail, readNumber, (_, _page, sort) => sort);
  return read && { value: read, followsScore: followsScore === true };
}

/** The fields that the filter returns replace those of the previous filter. It gets copies, which it may change. */
export function guardedDistribute(made: unknown, fail: Fail): Distribute | undefined {
  if (typeof made !== 'function') return undefined;
  return checkedFunction<[DistributingPage, Distribution], Distribution>(
    (page: DistributingPage, shares: Distribution) =>
      made({ ...page, metadata: { ...page.metadata } }, { ...shares, carried: { ...shares.carried } }) as unknown,
    fail,
    (given, _, shares) => readDistribution(given, shares),
    (_, _page, shares) => shares,
  );
}

const NO_DISTRIBUTION = 'it answered no distribution';

const NUMBERS = ['internalShare', 'externalShare', 'givenBack', 'start'] as const;

/** @throws Error that names the first invalid field */
function readDistribution(given: unknown, shares: Distribution): Distribution {
  if (typeof given !== 'object' || given === null) throw new Error(NO_DISTRIBUTION);
  const all = { ...shares, ...(given as Partial<Distribution>) };
  const { internalShare, externalShare, givenBack, follow, start, carried } = all;
  for (const name of NUMBERS) if (!Number.isFinite(all[name])) throw wrongField(name, 'a finite number', all[name]);
  if (typeof follow !== 'boolean') throw wrongField('follow', 'true or false', follow);
  const texts = Object.entries(carried ?? {}).slice(0, MAX_METADATA);
  for (const [name, value] of texts)
    if (typeof value !== 'string') throw wrongField(`carried.${name.slice(0, MAX_NAME_LENGTH)}`, 'a text', value);
  const cut = texts.map(([name, value]) => [
    storableStart(name, MAX_NAME_LENGTH),
    storableStart(value, MAX_TEXT_LENGTH),
  ]);
  return {
    internalShare,
    externalShare,
    givenBack,
    follow,
    start,
    carried: Object.fromEntries(cut) as Record<string, string>,
  };
}

const wrongField = (name: string, allowed: string, given: unknown): Error =>
  new Error(`its ${name} must be ${allowed} (given: ${typeof given === 'number' ? given : kindOf(given)})`);

export function guardedOrphanLimits(made: unknown): OrphanLimits | undefined {
  const { goneAfter, orphanAfter } = (made ?? {}) as Unchecked;
  const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1e10;
  return isTime(goneAfter) && isTime(orphanAfter) ? { goneAfter, orphanAfter } : undefined;
}
