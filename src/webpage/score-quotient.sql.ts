/** Division of scores. Each link passes on a part of a score: at the end of a chain of 160 pages it is close to 0. */
import { type Fragment, fragment } from '../db/sql.js';

/** What is closer to 0 counts as 0. Larger scores can be divided by any number of links or total of scores that occurs. */
const MIN_DIVIDEND = 1e-200;

/** A score or cash, divided. PostgreSQL fails a statement whose quotient is too close to 0 for a float8 (22003, underflow). */
export const scoreQuotient = (score: Fragment, divisor: Fragment): Fragment =>
  fragment`(case when abs(${score}) < ${MIN_DIVIDEND}::float8 then 0 else ${score} / ${divisor} end)`;
