import type { Pool } from 'pg';
import { transaction } from '../../src/db/sql.js';
import { JobQueue } from '../../src/job/job-queue.js';
import type { JobState } from '../../src/core/job/job-states.js';
import { JobStore } from '../../src/job/job.store.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';

/** An API, and jobs that no worker claims: specs change their states directly. */
export interface EventJobs {
  api: ApiUnderTest;
  pool: Pool;
  jobs: JobStore;
}

export async function apiWithJobs(): Promise<EventJobs> {
  const api = await apiUnderTest();
  await nameCrawler(api);
  const { pool } = await api.database.dataSource();
  const jobs = new JobStore(pool, await JobQueue.open(pool, { maintain: false, onError: () => undefined }));
  await pool.query(`insert into conf_snapshot (hash, params) values ('test', '{}') on conflict do nothing`);
  return { api, pool, jobs };
}

export const createFetch = ({ jobs }: EventJobs, crawlId = 'k') =>
  jobs.create({ type: 'FETCH', crawlId, confId: 'c', confHash: 'test', args: {} });

export const moveJob = (
  { pool, jobs }: EventJobs,
  id: string,
  to: JobState,
  result = { result: '0', reason: 'done', counters: {} },
) => transaction(pool, (tx) => jobs.move(tx, id, to, { msg: 'OK', result }));
