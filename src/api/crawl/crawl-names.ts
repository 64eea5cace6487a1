/**
 * Resolves `{id}` of `/v1/crawls/{id}`: a crawl by its crawl id, as everywhere else in the API, or one of its CRAWL jobs by
 * the job id. A job id takes precedence, in case a crawl was named like one.
 */
import { Injectable } from '@nestjs/common';
import { ID_SHAPE_OR_EMPTY } from '../../core/id-shape.js';
import type { JobRow } from '../../job/job-row.js';
import { JobStore } from '../../job/job.store.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import { Database } from '../database.js';
import { type JobChange, changeJob } from '../job/job-change.js';
import { shown } from '../problem.js';
import { JOB_ID_SHAPE } from '../request/ids.js';
import { crawlNotRun, crawlOrJobUnknown } from './crawl.problems.js';

/** Maximum number of jobs that one call stops, pauses or resumes; no key may have that many waiting. */
const JOBS_AT_ONCE = 1_000;

export interface NamedCrawl {
  crawl: number;
  crawlId: string;
  /** The CRAWL job that was named; undefined when a crawl id was given. */
  job: JobRow | undefined;
}

@Injectable()
export class CrawlNames {
  constructor(
    private readonly jobs: JobStore,
    private readonly database: Database,
  ) {}

  /** Throws JOB_UNKNOWN when neither a CRAWL job nor a crawl has the id. */
  async find(id: string): Promise<NamedCrawl> {
    const job = JOB_ID_SHAPE.test(id) ? await this.jobs.find(id) : undefined;
    if (job?.type === 'CRAWL') return { crawl: job.crawl, crawlId: job.crawlId, job };
    const crawl = ID_SHAPE_OR_EMPTY.test(id) ? await knownCrawl(this.database.pool, id) : undefined;
    if (crawl === undefined) throw crawlOrJobUnknown(id);
    return { crawl, crawlId: id, job: undefined };
  }

  /** The named CRAWL job; for a crawl id its newest one that has not ended, else its newest. Throws JOB_UNKNOWN. */
  async newestJob(id: string): Promise<JobRow> {
    const { job, crawlId } = await this.find(id);
    if (job !== undefined) return job;
    const filter = { crawlId, type: 'CRAWL', limit: 1 } as const;
    const [newest] = [...(await this.jobs.list({ ...filter, open: true })), ...(await this.jobs.list(filter))];
    if (newest === undefined) throw crawlNotRun(crawlId);
    return newest;
  }

  /** Changes the named CRAWL job, or all open jobs of a crawl. Returns why nothing was changed; undefined if something was. */
  async change(id: string, change: JobChange): Promise<string | undefined> {
    const { job, crawlId } = await this.find(id);
    if (job !== undefined) return changeJob(this.jobs, change, job.id);
    // The children of a CRAWL job follow their parent.
    const open = await this.jobs.list({ crawlId, open: true, outermost: true, limit: JOBS_AT_ONCE });
    const whys: (string | undefined)[] = [];
    for (const openJob of open.reverse()) whys.push(await changeJob(this.jobs, change, openJob.id));
    if (whys.includes(undefined)) return undefined;
    return whys.length > 0 ? whys.join(' ') : `Crawl ${shown(crawlId)} has no job that has not ended.`;
  }
}
