/** Which configuration sets the delays of a host: that of the running crawl, which may differ from the current `default`. */
import type { Pool } from 'pg';
import type { ConfStore } from '../../conf/conf.store.js';
import type { Conf } from '../../core/conf/properties.js';
import { confIdUnknown } from '../problem.js';
import { fetchingJob } from './host-conf.query.js';

export interface ConfOfHosts {
  conf: Conf;
  /** The job whose copy of a configuration it is; null: it is the requested one, or `default`. */
  job: string | null;
}

/**
 * The configuration `confId`; without one, that of the newest CRAWL or FETCH of the crawl that has not ended, else of the
 * newest; `default` for a crawl without such jobs. Throws CONFIG_ID_UNKNOWN.
 */
export async function confOfHosts(
  { pool, confs }: { pool: Pool; confs: ConfStore },
  crawlId: string,
  confId: string | undefined,
): Promise<ConfOfHosts> {
  const job = confId === undefined ? await fetchingJob(pool, crawlId) : undefined;
  if (job !== undefined) return { conf: await confs.ofSnapshot(job.confHash), job: job.id };
  const known = await confs.find(confId ?? 'default');
  if (known === undefined) throw confIdUnknown(confId ?? 'default');
  return { conf: known.conf, job: null };
}
