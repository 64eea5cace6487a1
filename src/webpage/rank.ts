/**
 * The place of a selectable page in GENERATE's order: its score on a logarithmic scale of whole numbers.
 *
 * The index holds ranks, not scores, for two reasons: equal ranks share one index entry, and a page whose score moves a
 * little keeps its rank, so that the hottest statement of the crawl (adding the shares of links) changes no index.
 * GENERATE puts pages whose ranks are that near in the exact order of their scores.
 */
import { fragment } from '../db/sql.js';

type Fragment = ReturnType<typeof fragment>;

/** Steps per factor e: one rank is 0.07 % of a score. */
const STEPS = 1477;
/** A rank follows its score when they differ by more than this: a third. */
export const RANK_SLACK = 425;

/** SQL for the rank of a score. */
export const rankOf = (score: Fragment): Fragment =>
  fragment`(ln(greatest(${score}, 1e-30::float8)) * ${STEPS}::int)::int`;
