/**
 * READDB: the statistics of a crawl as the result of a job, where clients of Nutch 2.x expect them. The numbers are
 * those of `POST /db/crawldb` with type `stats`.
 */
import { Injectable } from '@nestjs/common';
import { crawlStats, quantilesOf } from '../../webpage/crawl-stats.js';
import type { Run, Step, StepEnd } from '../step.js';
import type { ReadDbArgs } from './readdb.args.js';

/** The result is shown with the job in every list of jobs. */
const MAX_HOSTS = 1_000;

@Injectable()
export class ReadDbJob implements Step<ReadDbArgs> {
  async run({ pool, job, args, conf }: Run<ReadDbArgs>): Promise<StepEnd> {
    const sorted = { hosts: MAX_HOSTS, quantiles: quantilesOf(conf['db.stats.score.quantiles']) };
    const stats = await crawlStats(pool, job.crawl, args.sort ? sorted : null);
    const counters = { WebTable: { pages: Number(stats.totalUrls) } };
    // It writes nothing, so its counters are recorded with its end.
    return { reason: 'done', extra: { stats }, left: () => Promise.resolve(counters) };
  }
}
