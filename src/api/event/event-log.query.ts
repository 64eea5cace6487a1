/** The logs of events that can be followed: of a job, of a job with its children, of a whole crawl. */
import { Injectable } from '@nestjs/common';
import { ID_SHAPE_OR_EMPTY } from '../../core/id-shape.js';
import { row } from '../../db/sql.js';
import { eventsOf, eventsOfCrawl, eventsOfFamily } from '../../job/job-event.store.js';
import type { JobRow } from '../../job/job-row.js';
import { isFinal } from '../../core/job/job-states.js';
import { OPEN } from '../../job/states.sql.js';
import { JobStore } from '../../job/job.store.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import { Database } from '../database.js';
import { jobUnknown } from '../problem.js';
import { JOB_ID_SHAPE } from '../request/ids.js';
import type { Followed } from './event-stream.js';
import { eventsUnknown } from './event.problems.js';

@Injectable()
export class EventLog {
  constructor(
    private readonly jobs: JobStore,
    private readonly database: Database,
  ) {}

  /** The events of a job alone. Throws JOB_UNKNOWN. */
  async ofJob(id: string): Promise<Followed> {
    const job = await this.find(id);
    if (job === undefined) throw jobUnknown(id);
    return {
      crawl: job.crawl,
      read: (after, selection) => eventsOf(this.database.pool, id, after, selection),
      end: () => this.endOf(id),
    };
  }

  /**
   * The events of a job and its children; when `id` is not a job, of all jobs of the crawl `id`: with `untilEnd` they end when
   * no job is open. Throws EVENTS_UNKNOWN.
   */
  async ofCrawl(id: string, untilEnd: boolean): Promise<Followed> {
    const { pool } = this.database;
    const job = await this.find(id);
    if (job !== undefined)
      return {
        crawl: job.crawl,
        read: (after, selection) => eventsOfFamily(pool, job, after, selection),
        end: async () => ((await this.hasOpenChildren(id)) ? undefined : this.endOf(id)),
      };
    const crawl = ID_SHAPE_OR_EMPTY.test(id) ? await knownCrawl(pool, id) : undefined;
    if (crawl === undefined) throw eventsUnknown(id);
    return {
      crawl,
      read: (after, selection) => eventsOfCrawl(pool, crawl, after, selection),
      end: () => (untilEnd ? this.endOfCrawl(id) : Promise.resolve(undefined)),
    };
  }

  private async find(id: string): Promise<JobRow | undefined> {
    return JOB_ID_SHAPE.test(id) ? this.jobs.find(id) : undefined;
  }

  /** A job whose row was deleted has ended, too. */
  private async endOf(id: string): Promise<Record<string, unknown> | undefined> {
    const job = await this.jobs.find(id);
    if (job === undefined) return { jobId: id, state: null, msg: 'the job was forgotten', result: null };
    return isFinal(job.state) ? { jobId: id, state: job.state, msg: job.msg, result: job.result } : undefined;
  }

  /** How the newest job of a crawl ended; undefined while the crawl has an open job. */
  private async endOfCrawl(crawlId: string): Promise<Record<string, unknown> | undefined> {
    if ((await this.jobs.list({ crawlId, open: true, limit: 1 })).length > 0) return undefined;
    const [newest] = await this.jobs.list({ crawlId, outermost: true, limit: 1 });
    if (newest === undefined) return { jobId: null, state: null, msg: 'the crawl has no jobs', result: null };
    return { jobId: newest.id, state: newest.state, msg: newest.msg, result: newest.result };
  }

  /** Whether a CRAWL has children that have not ended. */
  private async hasOpenChildren(id: string): Promise<boolean> {
    const child = await row(this.database.pool)`select from job where parent = ${id} and state in ${OPEN} limit 1`;
    return child !== undefined;
  }
}
