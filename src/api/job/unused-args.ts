/** Known arguments of a job that have no effect beside others. */
import type { JobType } from '../../core/job/job-types.js';
import { isGiven } from '../request/is-given.js';

/** Arguments of GENERATE that choose among the pages of the table: they mean nothing where a list is the batch. */
const CHOOSING = ['expr', 'startKey', 'endKey', 'noScore', 'sitemap', 'notFetchedSince', 'maxNumSegments'];
/** Jobs that work on one or more batches, which `batch` names before `segment`, and both before a folder of segments. */
const OF_BATCHES: readonly JobType[] = ['FETCH', 'PARSE', 'UPDATEDB', 'INVERTLINKS', 'INDEX'];

/** A sentence about each argument that has no effect. */
export function unusedArgNotices(type: JobType, args: Record<string, unknown>): string[] {
  if (type === 'GENERATE' && isGiven(args['freegen'])) {
    const unused = CHOOSING.filter((name) => isGiven(args[name]));
    if (unused.length === 0) return [];
    return [`With a batch from a list (freegen) only topN limits: ${unused.join(', ')} change nothing.`];
  }
  const { batch, segment } = args;
  if (!OF_BATCHES.includes(type) || !isGiven(batch) || !isGiven(segment) || String(batch) === String(segment))
    return [];
  return ['Argument segment changes nothing: batch says which pages.'];
}
