/** Division of scores. Each link passes on a part of a score: at the end of a chain of 160 pages it is close to 0. */
import { type Fragment, fragment } from '../db/sql.js';

/** Scores closer to 0 count as 0. Others can be divided by each other, and by any number of links. */
export const MIN_QUOTIENT_TERM = 1e-100;

/** A score or cash, divided. PostgreSQL fails a statement whose quotient a float8 cannot represent (22003: underflow, overflow). */
export const scoreQuotient = (score: Fragment, divisor: Fragment): Fragment =>
  fragment`(case when abs(${score}) < ${MIN_QUOTIENT_TERM}::float8 then 0 else ${score} / ${divisor} end)`;
