/**
 * The batch of a page that a statement finds by its key. A plain `generate_mark is null` or `= …` would also fit the indexes
 * of waiting pages and of batches. By statistics older than the last GENERATE these look empty, so the planner would scan one
 * of them for each key. No index fits the forms used here.
 */
import { type Fragment, fragment } from '../db/sql.js';

/** Row `w` of `webpage` is in no batch. */
export const inNoBatch = fragment`num_nulls(w.generate_mark) = 1`;

/** Row `w` of `webpage` is in this batch: an id, null for none, or a column that contains it. */
export const isInBatch = (batch: string | null | Fragment): Fragment =>
  fragment`w.generate_mark is not distinct from ${batch}`;
