/**
 * The rank of a selectable page in GENERATE's order: its score on a logarithmic scale of whole numbers.
 *
 * The index contains ranks, not scores, for two reasons: equal ranks share one index entry, and a page whose score changes a
 * little may keep its rank, so that the hottest statement of the crawl (adding the contributions of links) changes no index.
 * How far the ranks of a crawl lag behind its scores: see exact-ranks.sql.ts.
 */
import { MAX_INT32 } from '../core/int32.js';
import { type Fragment, fragment } from '../db/sql.js';

/** Steps per factor e: scores that differ by more than 6e-8 of themselves have different ranks. */
const STEPS = 16_777_216;
const MIN_SCORE = 1e-30;
const MAX_SCORE = 1e50;
/** A rank follows its score when they differ by more than this: a third. */
export const RANK_SLACK = Math.ceil(Math.log(4 / 3) * STEPS);
/** The bounds of the column: outside of all ranks. */
export const MIN_RANK = -MAX_INT32 - 1;
export const MAX_RANK = MAX_INT32;

export const rankOf = (score: Fragment): Fragment =>
  fragment`(ln(least(greatest(${score}, ${MIN_SCORE}::float8), ${MAX_SCORE}::float8)) * ${STEPS}::int)::int`;

/** The rank of a score, computed here: equal to the result of `rankOf` in PostgreSQL, or one below it. */
export const rankBelow = (score: number): number =>
  Math.floor(Math.log(Math.min(Math.max(score, MIN_SCORE), MAX_SCORE)) * STEPS) - 1;
