/**
 * The periodic work of a worker, soon after its start and then each hour: it creates the partitions of the next visits, and
 * deletes what has expired.
 *
 * | what                                                   | when                                        |
 * | ------------------------------------------------------ | ------------------------------------------- |
 * | ended jobs, with their snapshots and seed lists        | after `job.history.days`                    |
 * | events of jobs, and their deliveries to webhooks       | after `job.event.days`                      |
 * | visits, by whole months                                | after `fetch.history.months`                |
 * | answers kept for an `Idempotency-Key`                  | when the key has expired                    |
 * | fetch queues                                           | a day after their last use                  |
 * | robots.txt                                             | 90 days after its last request              |
 * | workers that were lost                                 | an hour after their last heartbeat          |
 * | contents listed for a DEDUP                            | when their crawl has none                   |
 *
 * Changes of the counts of pages are added up. The properties are those of the configuration `default`.
 */
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { DEFAULT_CONF_ID } from '../conf/conf-reading.js';
import type { ConfStore } from '../conf/conf.store.js';
import { deleteNeedlessContents } from '../cycle/dedup/needless-contents.js';
import { IdempotencyStore } from '../job/idempotency.store.js';
import type { JobStore } from '../job/job.store.js';
import { purgeDeliveries } from '../job/webhook.store.js';
import { deleteLost } from '../job/worker.store.js';
import { forgetQueues } from '../politeness/queue-lease.sql.js';
import { forgetFiles } from '../politeness/robots.store.js';
import { dropOldHistory, ensureHistoryPartitions } from '../webpage/fetch-history.store.js';
import { recountOverdue } from '../webpage/status-count.store.js';

const HOUSEKEEPING_MS = 3_600_000;
/** Soon after the start, too: a retention that an operator shortens applies soon, and some workers live for less than an hour. */
const FIRST_HOUSEKEEPING_MS = 60_000;

interface Stores {
  readonly pool: Pool;
  readonly jobs: JobStore;
  readonly confs: ConfStore;
}

/** The timers of housekeeping; a run is skipped while the last one is still running. */
export function housekeeping(
  { pool, jobs, confs }: Stores,
  log: Logger,
  firstMs = FIRST_HOUSEKEEPING_MS,
): NodeJS.Timeout[] {
  let keeping: Promise<void> | undefined;
  const run = () =>
    (keeping ??= runHousekeeping({ pool, jobs, confs })
      .catch((err: unknown) => log.warn({ err }, 'housekeeping failed'))
      .finally(() => (keeping = undefined)));
  return [every(HOUSEKEEPING_MS, run), setTimeout(() => void run(), firstMs)];
}

async function runHousekeeping({ pool, jobs, confs }: Stores): Promise<void> {
  await ensureHistoryPartitions(pool);
  const parsed = await confs.find(DEFAULT_CONF_ID);
  if (!parsed) return;
  const { conf } = parsed;
  await new IdempotencyStore(pool).purge();
  await purgeDeliveries(pool, conf['job.event.days']);
  await jobs.purge({ jobDays: conf['job.history.days'], eventDays: conf['job.event.days'] });
  await dropOldHistory(pool, conf['fetch.history.months']);
  await forgetQueues(pool);
  await forgetFiles(pool);
  await deleteLost(pool);
  await recountOverdue(pool);
  // Last: the first time after years without DEDUP there may be many rows.
  await deleteNeedlessContents(pool);
}

/** Runs `work` each `ms`; a run is skipped while the last one is still running (the database is unavailable). */
export function every(ms: number, work: () => Promise<unknown>): NodeJS.Timeout {
  let isRunning = false;
  return setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    void work().finally(() => (isRunning = false));
  }, ms);
}
