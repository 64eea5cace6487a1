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
  SortedPage,
  SortValue,
} from '../core/score/scoring-filter.js';
import { storableStart } from '../db/sql.js';
import { checkedFunction, type Fail, readNumber, type Unchecked } from './external-call.js';
import { kindOf } from './kind-of.js';

const MAX_METADATA = 100;
const MAX_NAME_LENGTH = 256;
const MAX_TEXT_LENGTH = 4_096;

/** A filter that returns a number: for a seed, or for the content of a page. It gets a copy, which it may change. */
export function guardedScore(extension: unknown, fail: Fail): (SeedScore & PageScore) | undefined {
  if (typeof extension !== 'function') return undefined;
  return checkedFunction<[ScoredSeed | ReadText, number], number>(
    (page: ScoredSeed | ReadText, score: number) => extension(withOwnMetadata(page), score) as unknown,
    fail,
    readNumber,
    (_, _page, score) => score,
  );
}

const withOwnMetadata = <T extends { readonly metadata: ScoredSeed['metadata'] }>(page: T): T => ({
  ...page,
  metadata: { ...page.metadata },
});

export function guardedSortValue(extension: unknown, fail: Fail): SortValue | undefined {
  const { value, followsScore } = (extension ?? {}) as Unchecked;
  if (typeof value !== 'function') return undefined;
  const read = checkedFunction<Parameters<SortValue['value']>, number>(
    (page: SortedPage, sort: number) => value.call(extension, withOwnMetadata(page), sort) as unknown,
    fail,
    readNumber,
    (_, _page, sort) => sort,
  );
  return read && { value: read, followsScore: followsScore === true };
}

/** The fields that the filter returns replace those of the previous filter. It gets copies, which it may change. */
export function guardedDistribute(extension: unknown, fail: Fail): Distribute | undefined {
  if (typeof extension !== 'function') return undefined;
  return checkedFunction<[DistributingPage, Distribution], Distribution>(
    (page: DistributingPage, shares: Distribution) =>
      extension(withOwnMetadata(page), { ...shares, carried: { ...shares.carried } }) as unknown,
    fail,
    (value, _, shares) => readDistribution(value, shares),
    (_, _page, shares) => shares,
  );
}

const NO_DISTRIBUTION = 'it answered no distribution';

const NUMBERS = ['internalShare', 'externalShare', 'givenBack', 'start'] as const;

/** @throws Error that names the first invalid field */
function readDistribution(value: unknown, shares: Distribution): Distribution {
  if (typeof value !== 'object' || value === null) throw new Error(NO_DISTRIBUTION);
  const distribution = { ...shares, ...(value as Partial<Distribution>) };
  const { internalShare, externalShare, givenBack, follow, start, carried } = distribution;
  for (const name of NUMBERS)
    if (!Number.isFinite(distribution[name])) throw wrongField(name, 'a finite number', distribution[name]);
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

export function guardedOrphanLimits(extension: unknown): OrphanLimits | undefined {
  const { goneAfter, orphanAfter } = (extension ?? {}) as Unchecked;
  const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1e10;
  return isTime(goneAfter) && isTime(orphanAfter) ? { goneAfter, orphanAfter } : undefined;
}
