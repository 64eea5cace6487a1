/**
 * Creates a job from a request.
 *
 * The arguments are checked against those of the step (check-job-args.ts), and its lists of lines are stored (job-lists.ts). The
 * configuration is copied now: later changes do not affect the job.
 */
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { ConfStore } from '../../conf/conf.store.js';
import { SeedListStore } from '../../conf/seed-list.store.js';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { knownArgs } from '../../cycle/args.js';
import { CrawlArgs, propertiesOf } from '../../cycle/crawl/crawl.args.js';
import { refuseImpossibleFetch } from '../config/config.problems.js';
import type { CrawlPlan } from '../../core/job/crawl-plan.js';
import { batchesLeftBy } from '../../core/job/crawl-rounds.js';
import { leftBatches } from '../../cycle/left-batches.sql.js';
import { type JobType, requestedTypes } from '../../core/job/job-types.js';
import { hasDue } from '../../webpage/document-due.store.js';
import { allChildren } from '../../job/crawl-children.sql.js';
import type { JobRow } from '../../job/job-row.js';
import { JobStore } from '../../job/job.store.js';
import { SeedListGone } from '../../job/left-by-jobs.store.js';
import { confIdUnknown, jobSeedUnknown, jobUnknown, jobsTooFast, ofField, shown } from '../problem.js';
import { jobArgsMissing, jobConfigMissing, jobTypeUnknown } from './job.problems.js';
import { keyNameOf } from '../access/client-identity.js';
import { ClientSemaphore } from '../access/client-semaphore.js';
import { admit } from '../request/admit.js';
import { isGiven } from '../request/is-given.js';
import type { AcceptedSeeds } from '../seed/seed-input.js';
import { Database } from '../database.js';
import { HeavyWork } from '../heavy/heavy-work.js';
import { MADE_JOB_HEADER, heavyJobOf } from '../heavy/made-job.js';
import { WaitingJobs } from './waiting-jobs.js';
import { seedsMissing } from '../crawl/crawl.problems.js';
import { refusingBusy, refusingDeleted } from '../crawl/deletion.problems.js';
import { ClaimWait } from './claim-wait.js';
import { crawlOfArgs } from './crawl-of-args.js';
import { hasPagesOrSeeds } from './first-pages.query.js';
import { unknownArgNotices } from '../request/unknown-arg-notices.js';
import { argsByType } from './args-by-type.js';
import { checkJobArgs } from './check-job-args.js';
import { JobConfig } from './job.dto.js';
import { inlineSeeds, listsOf, namesSeeds, withStoredLists } from './job-lists.js';
import { planOf } from './plan-of-crawl.js';
import { unusedArgNotices } from './unused-args.js';

/**
 * Limits the jobs that are created at once: a thousand simultaneous POSTs would wait for each other, each with a database
 * connection, and other requests would get none.
 */
const writingLimits = { atOnce: 4, max: 120, maxPerKey: 60, reserved: 16 };
/** Batches left open that a plan names: of several UPDATEDB finds all. */
const MAX_LEFT = 2;
const FIRST_BATCH = 'The crawl has no pages: its first batch is the seed list that seedDir names, as with freegen.';
const LATER_BATCH =
  'Argument seedDir changes nothing: it names the first batch of a crawl without pages; freegen names one of any crawl.';
const sendsRequests = (type: JobType): boolean => type === 'FETCH' || type === 'CRAWL' || type === 'SITEMAP';

export interface CreatedJob {
  job: JobRow;
  /** Sentences about arguments that have no effect. */
  notices: string[];
}

@Injectable()
export class JobCreation {
  private readonly writing = new ClientSemaphore(writingLimits, jobsTooFast);

  constructor(
    private readonly jobs: JobStore,
    private readonly confs: ConfStore,
    private readonly seeds: SeedListStore,
    private readonly claimWait: ClaimWait,
    private readonly waiting: WaitingJobs,
    private readonly heavy: HeavyWork,
    private readonly database: Database,
  ) {}

  /** The job that `create` returns, or that a heavy process has created for this request. */
  async createOrFind(request: Request, create: () => Promise<CreatedJob>): Promise<CreatedJob> {
    const heavyJob = heavyJobOf(request);
    if (heavyJob !== undefined) {
      const { id } = heavyJob;
      const job = (await this.claimWait.wait(this.jobs, id)) ?? (await this.jobs.find(id));
      if (job === undefined) throw jobUnknown(id);
      return { job, notices: [] };
    }
    const created = await create();
    if (this.heavy.processes === undefined) request.res?.setHeader(MADE_JOB_HEADER, created.job.id);
    return created;
  }

  /** The JobConfig of a request body. Throws JOB_CONFIG_MISSING, JOB_TYPE_UNKNOWN, JOB_ARGS_MISSING, FIELDS_INVALID. */
  admitRequest(body: unknown): JobConfig {
    if (body === undefined || body === null) throw jobConfigMissing();
    const { type, args } = body as { type?: unknown; args?: unknown };
    const known = requestedTypes.find((name) => name === (typeof type === 'string' ? type.toUpperCase() : type));
    if (known === undefined) throw jobTypeUnknown(type, requestedTypes.join(', '));
    if (args === undefined || args === null) throw jobArgsMissing();
    return admit(JobConfig, { ...(body as object), type: known }).value;
  }

  /**
   * Creates the job and waits some seconds until a worker claims it. Throws the problems of jobs (job.problems.ts, problem.ts).
   * @param client its key is recorded for its quota and in the log of the job
   * @param how.at prefix of the arguments' field names in the request, for messages
   * @param how.seedLines checked seed lines, to be stored as a list
   * @param how.left for a CRAWL: what it completes first; by default what the run before has left
   */
  async create(
    request: JobConfig,
    client: LimitedClient,
    how: { at?: string; seedLines?: string[]; left?: LeftUndone } = {},
  ): Promise<CreatedJob> {
    const { type } = request;
    const at = how.at ?? 'args.';
    const { read, unknown } = await checkJobArgs(type, request.args, at);
    const { crawlId, notices: ofPaths } = crawlOfArgs(request, at);
    if (type === 'CRAWL' && how.seedLines === undefined && !namesSeeds(request.args))
      await this.refuseWithoutPages(crawlId, at);
    const firstBatch = await this.listOfFirstBatch({ ...request, crawlId });
    const jobConfig = { ...request, crawlId, args: { ...request.args, ...firstBatch } };
    const seeds = inlineSeeds(request, read, how.seedLines);
    const created = await this.writing.run(client, () => this.write(jobConfig, read, { ...how, client, seeds }));
    const job = (await this.claimWait.wait(this.jobs, created.id)) ?? created;
    // If the fields of the request are the arguments, an interceptor has already named unknown fields.
    const ignored = at === '' ? [] : unknown;
    const isList = (name: string): boolean => type === 'GENERATE' && name === 'seedDir';
    const notices = unknownArgNotices(
      type,
      ignored.filter((name) => !isList(name)),
      [...knownArgs(argsByType[type])],
    );
    if (firstBatch === undefined && ignored.some(isList)) notices.push(LATER_BATCH);
    if (firstBatch !== undefined) notices.push(FIRST_BATCH);
    notices.push(...unusedArgNotices(type, jobConfig.args));
    return { job, notices: [...notices, ...ofPaths, ...(seeds?.notices ?? [])] };
  }

  /** A CRAWL without seeds continues with the pages of its crawl: without any it would end at once, as if all were visited. */
  private async refuseWithoutPages(crawlId: string, at: string): Promise<void> {
    if (!(await hasPagesOrSeeds(this.database.pool, crawlId)))
      throw seedsMissing(`Crawl ${shown(crawlId)} has no pages to continue with`, at);
  }

  /**
   * In a crawl without pages, `seedDir` of GENERATE names the first fetch list (freegen), and an unknown one is refused like
   * that of freegen. Otherwise it is ignored: clients send the seeds of INJECT along with later jobs.
   */
  private async listOfFirstBatch({ type, crawlId, args }: JobConfig): Promise<{ freegen: string } | undefined> {
    const { seedDir, freegen } = args;
    if (type !== 'GENERATE' || !isGiven(seedDir) || isGiven(freegen)) return undefined;
    if (await hasPagesOrSeeds(this.database.pool, crawlId)) return undefined;
    const list = await this.seeds.resolve(String(seedDir));
    if (list === undefined) throw ofField('args.seedDir', jobSeedUnknown(String(seedDir)));
    return { freegen: list };
  }

  private async write(
    request: JobConfig,
    read: object,
    { client, seeds, left }: { client: LimitedClient; seeds: AcceptedSeeds | undefined; left?: LeftUndone },
  ): Promise<JobRow> {
    const { type, crawlId, confId } = request;
    await this.waiting.refuseTooMany(client);
    const by = keyNameOf(client);
    const snapshot = await this.confs.snapshot(confId, read instanceof CrawlArgs ? propertiesOf(read) : {});
    if (snapshot === undefined) throw confIdUnknown(confId);
    if (sendsRequests(type)) refuseImpossibleFetch(snapshot.conf, confId);
    const args = await withStoredLists(this.seeds, request, seeds);
    const plan =
      read instanceof CrawlArgs
        ? { ...planOf(read, args, snapshot.conf), ...(left ?? (await this.leftByLastRun(crawlId))) }
        : undefined;
    const lists = listsOf(type, args);
    try {
      return await refusingDeleted(() =>
        this.jobs.create({ type, crawlId, confId, confHash: snapshot.hash, args, lists, plan, by }),
      );
    } catch (error) {
      throw error instanceof SeedListGone ? jobSeedUnknown(error.list) : error;
    }
  }

  /** Runs a job that has ended again, with the current configuration. Throws the problems of jobs (job.problems.ts, problem.ts). */
  async again(job: JobRow, client: LimitedClient): Promise<CreatedJob> {
    const { type, crawlId, confId, args } = job;
    return this.create({ type, crawlId, confId, args }, client, { left: await this.leftBy(job) });
  }

  /**
   * What the CRAWLs of a crawl have left undone, because they were stopped, aborted or failed. Otherwise a new one would find
   * nothing due, and end as if the crawl were complete. While a job is open, the batches may be that job's, unless it is being
   * aborted.
   */
  private async leftByLastRun(crawlId: string): Promise<LeftUndone> {
    const open = await this.jobs.list({ crawlId, open: true });
    if (open.some(({ state }) => state !== 'KILLING')) return {};
    const [newest] = await this.jobs.list({ crawlId, type: 'CRAWL', limit: 1 });
    return newest ? this.leftBy(newest) : {};
  }

  private async leftBy(job: JobRow): Promise<LeftUndone> {
    if (job.type !== 'CRAWL') return {};
    const { pool } = this.database;
    const children = await allChildren(pool, job.id);
    const past = (job.plan ?? {}) as Partial<CrawlPlan>;
    const found = await leftBatches(pool, job, MAX_LEFT);
    const left = new Set([...batchesLeftBy(past, children), ...found.map(({ batch }) => batch)]);
    const isOfIndex = past.index === true || past.documentsDue === true || found.some(({ isIndexed }) => isIndexed);
    const isRecording = left.size > 0 && isOfIndex;
    const documentsDue = isRecording || (await hasDue(pool, job.crawl));
    return { leftBatches: [...left].slice(0, MAX_LEFT), documentsDue };
  }

  /** Creates the job that deletes a crawl; undefined for an unknown crawl. Throws CRAWL_BUSY, TOO_MANY_JOBS. */
  async drop(crawlId: string, client: LimitedClient): Promise<JobRow | undefined> {
    await this.waiting.refuseTooMany(client);
    const by = keyNameOf(client);
    const snapshot = (await this.confs.snapshot(DEFAULT_CONF_ID))!;
    const job = await refusingBusy(() =>
      this.jobs.createDrop({ crawlId, confId: DEFAULT_CONF_ID, confHash: snapshot.hash, by }),
    );
    return job && ((await this.claimWait.wait(this.jobs, job.id)) ?? job);
  }

  /** Throws what `create` would throw for the request itself, before anything else of the request is stored. */
  async refuseInvalid(request: JobConfig, client: LimitedClient): Promise<void> {
    const { type, args, confId } = request;
    await checkJobArgs(type, args, 'args.');
    crawlOfArgs(request, 'args.');
    if ((await this.confs.find(confId)) === undefined) throw confIdUnknown(confId);
    await this.waiting.refuseTooMany(client);
  }
}

/** What an ended CRAWL has not closed, or not indexed. */
type LeftUndone = Pick<CrawlPlan, 'leftBatches' | 'documentsDue'>;
