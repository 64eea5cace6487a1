import { CLOCK_TOLERANCE_S } from '../core/politeness/back-off.js';
import { type Fragment, fragment } from '../db/sql.js';

/**
 * Whether a block that ends at `until` is not longer than the longest possible one. A longer one was written by a clock that
 * was ahead, and is ignored.
 * @param maxS seconds of the longest block
 */
export const isPossibleBlock = (until: Fragment, maxS: number): Fragment =>
  fragment`${until} <= now() + make_interval(secs => ${maxS + CLOCK_TOLERANCE_S})`;
