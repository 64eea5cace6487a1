/**
 * A page of a result without near duplicates: neither of hits of this page, nor of earlier ones. A page is chosen from the best
 * documents of the whole query, those of earlier pages included, as a duplicate may be of any of them.
 */
import { type Fingerprint, type HitWithNear, collapseNear } from './collapse-hits.js';
import { type ScoredDoc, byScore } from './score/top-hits.js';

export interface ResultPage<Hit> {
  readonly shown: readonly HitWithNear<Hit>[];
  /** Of the documents given, those of this page and of earlier ones, duplicates included. */
  readonly end: number;
  /** No hit can follow. */
  readonly isLast: boolean;
}

/**
 * @param top the best documents, in order
 * @param after the last document of the page before
 * @param isAll `top` are all documents of the query
 */
export function resultPage<Hit extends ScoredDoc>(
  top: readonly Hit[],
  fingerprint: (hit: Hit) => Fingerprint,
  { limit, after, isAll }: { limit: number; after: ScoredDoc | undefined; isAll: boolean },
): ResultPage<Hit> {
  const distinct = collapseNear(top, fingerprint);
  const begin = after ? distinct.findIndex(({ hit }) => byScore(hit, after) > 0) : 0;
  const following = begin < 0 ? [] : distinct.slice(begin);
  const next = following[limit]?.hit;
  return {
    shown: following.slice(0, limit),
    end: next ? top.indexOf(next) : top.length,
    isLast: next === undefined && isAll,
  };
}
