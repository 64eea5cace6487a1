/** The counters of `FetcherStatus` for pages of a batch that FETCH did not visit. All others count results of visits. */

/** Of excluded hosts: GENERATE leaves these out, too. */
export const EXCLUDED_HOST = { blocked: 'host_blocked', drained: 'host_drained' } as const;

/** Pages that were still waiting when FETCH ended. By the time limit these are Nutch's: in the queues, and not read yet. */
export const WAITING = {
  pending: 'pending',
  inQueue: 'HitByTimeLimit-Queues',
  unread: 'HitByTimeLimit-QueueFeeder',
} as const;

/** Visited by an earlier FETCH of the batch, or no longer in the batch when the visit was to be written. */
export const FETCHED_BEFORE = 'fetched_before';
export const LEFT_THE_BATCH = 'left_the_batch';

/** The present rules or arguments of FETCH do not take them. */
export const FILTERED = 'filtered';

export const OF_EXCLUDED_HOSTS: readonly string[] = Object.values(EXCLUDED_HOST);
export const OUT_OF_TIME: readonly string[] = Object.values(WAITING);

/** Pages that stay in their batch, from which UPDATEDB releases them. */
export const LEFT_IN_BATCH: readonly string[] = [...OF_EXCLUDED_HOSTS, ...OUT_OF_TIME, FILTERED];

export const NOT_VISITED: readonly string[] = [...LEFT_IN_BATCH, FETCHED_BEFORE, LEFT_THE_BATCH, 'NOTFETCHING'];
