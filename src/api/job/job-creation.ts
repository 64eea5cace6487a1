/**
 * Creates a job from a request.
 *
 * The arguments are checked against those of the step, so errors are reported here and not by a job that fails later.
 * Seeds become a stored list whatever form they were sent in (a path, a name, the lines themselves), and the job names
 * that list, so no job row contains megabytes. The configuration is copied now: later changes do not affect the job.
 */
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { ValidationError } from 'class-validator';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { ConfStore } from '../../conf/conf.store.js';
import { SeedListStore } from '../../conf/seed-list.store.js';
import type { Conf } from '../../core/conf/properties.js';
import type { Asker } from '../../core/queueing/client-limits.js';
import { Semaphore } from '../../core/queueing/semaphore.js';
import { checkArgs } from '../../cycle/args.js';
import { CrawlArgs, propertiesOf } from '../../cycle/crawl/crawl.args.js';
import { hasClosing } from '../../cycle/updatedb/after-update.js';
import { makeScoring } from '../../plugin/scoring.js';
import { refuseImpossibleFetch } from '../config/config.problems.js';
import type { CrawlPlan } from '../../core/job/crawl-plan.js';
import { batchLeftBy, unindexedBy } from '../../core/job/crawl-rounds.js';
import { type JobType, requestedTypes } from '../../core/job/job-types.js';
import { allChildren } from '../../job/crawl-children.sql.js';
import type { JobRow } from '../../job/job-row.js';
import { JobStore } from '../../job/job.store.js';
import { SeedListGone } from '../../job/left-by-jobs.js';
import {
  confIdUnknown,
  jobArgsInvalid,
  jobArgsMissing,
  jobConfigMissing,
  jobSeedUnknown,
  jobTypeUnknown,
  jobUnknown,
  jobsTooFast,
  shown,
  withOptions,
} from '../problem.js';
import { keyNameOf } from '../access/client-identity.js';
import { ClientSemaphore } from '../access/client-semaphore.js';
import { admit } from '../request/admit.js';
import { isGiven } from '../request/is-given.js';
import { type AcceptedSeeds, newName, readSeedText } from '../seed/seed-input.js';
import { Database } from '../database.js';
import { HeavyWork } from '../heavy/heavy-work.js';
import { MADE_JOB_HEADER, heavyJobOf } from '../heavy/made-job.js';
import { WaitingJobs } from './waiting-jobs.js';
import { refusingBusy, refusingDeleted } from '../crawl/deletion.problems.js';
import { argsOf } from './args-of.js';
import { crawlOfArgs } from './crawl-of-args.js';
import { hasPagesOrSeeds } from './first-pages.js';
import { JobConfig } from './job.dto.js';

/** Maximum number of characters of all arguments of a job, names and values as JSON. */
const MAX_OF_ARGS = 262_144;
/**
 * Limits the jobs that are created at once: a thousand simultaneous POSTs would wait for each other, each with a database
 * connection, and other requests would get none.
 */
const writingLimits = { atOnce: 4, max: 120, maxPerKey: 60, reserved: 16 };
/** Characters of a name that a message repeats. */
const MAX_NAME_LENGTH = 100;
const FIRST_BATCH = 'The crawl has no pages: its first batch is the seed list that seedDir names, as with freegen.';
/** Types whose argument `seed` is read, and stored as a list. */
const takesSeeds = (type: JobType): boolean => type === 'INJECT' || type === 'CRAWL';
const sendsRequests = (type: JobType): boolean => type === 'FETCH' || type === 'CRAWL' || type === 'SITEMAP';
const seedArgs = ['seedName', 'url_dir', 'seedDir'] as const;
/** Arguments that name a stored list of lines, besides seeds. */
const listArgs: Partial<Record<JobType, readonly string[]>> = {
  GENERATE: ['freegen'],
  SITEMAP: ['sitemapUrlDir', 'hostDir'],
};

/**
 * Waits until a new job is claimed, so that a client that polls at once does not see IDLE. With many requests at once nobody
 * waits, because each wait polls the database.
 */
export class ClaimWait {
  private readonly semaphore: Semaphore;

  constructor(
    private readonly ms: number,
    max = 50,
  ) {
    this.semaphore = new Semaphore(max);
  }

  /** The job when a worker has claimed it, or after the time limit. */
  async wait(jobs: JobStore, id: string): Promise<JobRow | undefined> {
    const ms = this.semaphore.reached() === undefined ? this.ms : 0;
    this.semaphore.take();
    try {
      return await jobs.waitUntilClaimed(id, ms);
    } finally {
      this.semaphore.release();
    }
  }
}

export interface CreatedJob {
  job: JobRow;
  /** Sentences about arguments that have no effect. */
  notices: string[];
}

@Injectable()
export class JobCreation {
  private readonly writing = new ClientSemaphore(writingLimits, { problem: jobsTooFast, retryAfterSeconds: 2 });

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
    const id = heavyJobOf(request);
    if (id !== undefined) {
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
    const known = requestedTypes.find((one) => one === (typeof type === 'string' ? type.toUpperCase() : type));
    if (known === undefined) throw jobTypeUnknown(type, requestedTypes.join(', '));
    if (args === undefined || args === null) throw jobArgsMissing();
    return admit(JobConfig, { ...(body as object), type: known }).value;
  }

  /**
   * Creates the job and waits some seconds until a worker claims it. Throws the problems of section "Jobs".
   * @param asker the client: its key is recorded for its quota and in the log of the job
   * @param how.at prefix of the arguments' field names in the request, for messages
   * @param how.seedLines checked seed lines, to be stored as a list
   * @param how.left for a CRAWL: what it completes first; by default what the run before has left
   */
  async create(
    request: JobConfig,
    asker: Asker,
    how: { at?: string; seedLines?: string[]; left?: LeftUndone } = {},
  ): Promise<CreatedJob> {
    const { type } = request;
    const at = how.at ?? 'args.';
    const { read, unknown } = await this.check(type, request.args, at);
    const { crawlId, notices: ofPaths } = crawlOfArgs(request, at);
    const firstBatch = await this.listOfFirstBatch({ ...request, crawlId });
    const wanted = { ...request, crawlId, args: { ...request.args, ...firstBatch } };
    const seeds = inlineSeeds(request, read, how.seedLines);
    const created = await this.writing.run(asker, () => this.write(wanted, read, { ...how, asker, seeds }));
    const job = (await this.claimWait.wait(this.jobs, created.id)) ?? created;
    // If the fields of the request are the arguments, an interceptor has already named unknown fields.
    const ignored = at === '' ? [] : unknown.filter((name) => firstBatch === undefined || name !== 'seedDir');
    const notices = ignored.map((name) => `Argument ${name} is not known to ${type} and changes nothing.`);
    if (firstBatch !== undefined) notices.push(FIRST_BATCH);
    return { job, notices: [...notices, ...ofPaths, ...(seeds?.notices ?? [])] };
  }

  /**
   * In a crawl without pages, `seedDir` of GENERATE names the first fetch list (freegen). Otherwise it is ignored: clients
   * send the seeds of INJECT along with later jobs.
   */
  private async listOfFirstBatch({ type, crawlId, args }: JobConfig): Promise<{ freegen: string } | undefined> {
    const { seedDir, freegen } = args;
    if (type !== 'GENERATE' || !isGiven(seedDir) || isGiven(freegen)) return undefined;
    const list = await this.seeds.resolve(String(seedDir));
    if (list === undefined || (await hasPagesOrSeeds(this.database.pool, crawlId))) return undefined;
    return { freegen: list };
  }

  private async write(
    request: JobConfig,
    read: object,
    { asker, seeds, left }: { asker: Asker; seeds: AcceptedSeeds | undefined; left?: LeftUndone },
  ): Promise<JobRow> {
    const { type, crawlId, confId } = request;
    await this.waiting.refuseTooMany(asker);
    const by = keyNameOf(asker);
    const snapshot = await this.confs.snapshot(confId, read instanceof CrawlArgs ? propertiesOf(read) : {});
    if (snapshot === undefined) throw confIdUnknown(confId);
    if (sendsRequests(type)) refuseImpossibleFetch(snapshot.conf, confId);
    const args = await this.withStoredSeeds(request, seeds);
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

  /** Runs a job that has ended again, with the current configuration. Throws the problems of section "Jobs". */
  async again(job: JobRow, asker: Asker): Promise<CreatedJob> {
    const { type, crawlId, confId, args } = job;
    return this.create({ type, crawlId, confId, args }, asker, { left: await this.leftBy(job) });
  }

  /**
   * What the newest CRAWL of a crawl has left undone, because it was stopped, aborted or failed. Otherwise a new one would find
   * nothing due, and end as if the crawl were complete. While a job is open, the batches may be that job's.
   */
  private async leftByLastRun(crawlId: string): Promise<LeftUndone> {
    const [open] = await this.jobs.list({ crawlId, open: true, limit: 1 });
    const [newest] = open ? [] : await this.jobs.list({ crawlId, type: 'CRAWL', limit: 1 });
    return newest ? this.leftBy(newest) : {};
  }

  private async leftBy({ id, type, plan }: JobRow): Promise<LeftUndone> {
    if (type !== 'CRAWL') return {};
    const children = await allChildren(this.database.pool, id);
    const past = (plan ?? {}) as Partial<CrawlPlan>;
    return { leftBatch: batchLeftBy(past, children), unindexed: unindexedBy(past, children) };
  }

  /** Creates the job that deletes a crawl; undefined for an unknown crawl. Throws CRAWL_BUSY, TOO_MANY_JOBS. */
  async drop(crawlId: string, asker: Asker): Promise<JobRow | undefined> {
    await this.waiting.refuseTooMany(asker);
    const by = keyNameOf(asker);
    const snapshot = (await this.confs.snapshot(DEFAULT_CONF_ID))!;
    const made = await refusingBusy(() =>
      this.jobs.createDrop({ crawlId, confId: DEFAULT_CONF_ID, confHash: snapshot.hash, by }),
    );
    return made && ((await this.claimWait.wait(this.jobs, made.id)) ?? made);
  }

  /** Throws what `create` would throw for the request itself, before anything else of the request is stored. */
  async refuseInvalid(request: JobConfig, asker: Asker): Promise<void> {
    const { type, args, confId } = request;
    await this.check(type, args, 'args.');
    crawlOfArgs(request, 'args.');
    if ((await this.confs.find(confId)) === undefined) throw confIdUnknown(confId);
    await this.waiting.refuseTooMany(asker);
  }

  private async check(
    type: JobType,
    given: Record<string, unknown>,
    at: string,
  ): Promise<{ read: object; unknown: string[] }> {
    refuseLarge(type, given, at);
    refuseSeedsTwice(type, given, at);
    const { args, errors, unknown } = await checkArgs(argsOf[type], given);
    if (errors.length === 0) return { read: args, unknown };
    const fields = errors.flatMap((error) => fieldErrors(error, at));
    throw withOptions(jobArgsInvalid(type, `${fields.map(({ message }) => message).join('; ')}.`), { errors: fields });
  }

  /** The args, with the stored name of every list that the job reads. */
  private async withStoredSeeds(request: JobConfig, seeds?: AcceptedSeeds): Promise<Record<string, unknown>> {
    const { type, args } = request;
    if (takesSeeds(type)) return this.withSeedList(request, seeds);
    // nutch-python repeats the arguments of earlier jobs, including any number of seeds, which this job does not use.
    const { seed: _, ...named } = args;
    for (const name of listArgs[type] ?? []) {
      const given = args[name];
      if (given === undefined || given === null) continue;
      const list = await this.seeds.resolve(String(given));
      if (list === undefined) throw jobSeedUnknown(String(given));
      named[name] = list;
    }
    return named;
  }

  /** The args with `seedName` naming a stored list, and without inline seeds. */
  private async withSeedList(
    { type, args: given }: JobConfig,
    seeds?: AcceptedSeeds,
  ): Promise<Record<string, unknown>> {
    const { seed: _, ...args } = given;
    const path = pathOf(args);
    if (path !== undefined) {
      const name = await this.seeds.resolve(String(path));
      if (name === undefined) throw jobSeedUnknown(String(path), 'args.seed');
      return { ...args, seedName: name };
    }
    if (seeds === undefined) {
      if (type === 'CRAWL') return args;
      throw jobArgsInvalid(type, 'one of seedName, url_dir, seedDir and seed is required.');
    }
    const name = newName();
    await this.seeds.save({ name, id: null, inline: true }, seeds.lines);
    return { ...args, seedName: name };
  }
}

/** The batches that an ended CRAWL has not closed, or not indexed. */
type LeftUndone = Pick<CrawlPlan, 'leftBatch' | 'unindexed'>;

/** The stored lists that a job reads, by the names that `withStoredSeeds` returned. */
const listsOf = (type: JobType, args: Record<string, unknown>): string[] =>
  [...(takesSeeds(type) ? ['seedName'] : []), ...(listArgs[type] ?? [])].flatMap((name) =>
    isGiven(args[name]) ? String(args[name]) : [],
  );

/** The argument that names a stored list of seeds. */
const pathOf = (args: Record<string, unknown>): unknown => seedArgs.map((name) => args[name]).find(isGiven);

/** The seeds to store as a list of the job: of its argument `seed`, or checked ones of the request. Throws SEED_LIST_INVALID. */
function inlineSeeds({ type, args }: JobConfig, read: object, checked?: string[]): AcceptedSeeds | undefined {
  if (checked) return { lines: checked.map((line) => ({ id: null, line })), notices: [] };
  if (!takesSeeds(type) || typeof args['seed'] !== 'string' || pathOf(args) !== undefined) return undefined;
  return readSeedText(args['seed'], (read as { skipInvalid?: boolean }).skipInvalid ?? false);
}

/** Several names of a list are allowed, as clients of 1.x and 2.x send them; of lines and a list, one would be ignored. */
function refuseSeedsTwice(type: JobType, args: Record<string, unknown>, at: string): void {
  if (!takesSeeds(type) || !isGiven(args['seed'])) return;
  const lists = seedArgs.filter((name) => isGiven(args[name])).map((name) => `${at}${name}`);
  if (lists.length === 0) return;
  const message = `${at}seed and ${lists.join(', ')} exclude each other: give one of seed, seedName, url_dir and seedDir`;
  const errors = [`${at}seed`, ...lists].map((field) => ({ field, message }));
  throw withOptions(jobArgsInvalid(type, `${message}.`), { errors });
}

/** Arguments are stored, and returned with each job of a list. `seed` is not: it becomes a list, or is dropped. */
function refuseLarge(type: JobType, args: Record<string, unknown>, at: string): void {
  const kept = Object.entries(args).filter(([name]) => name !== 'seed');
  const sizes = kept.map(([name, arg]) => ({ name, size: name.length + (JSON.stringify(arg)?.length ?? 0) }));
  const size = sizes.reduce((sum, one) => sum + one.size, 0);
  if (size <= MAX_OF_ARGS) return;
  const largest = sizes.reduce((one, other) => (other.size > one.size ? other : one));
  const field = `${at}${largest.name.slice(0, MAX_NAME_LENGTH)}`;
  const message = `${field} has ${largest.size} characters with its name; the arguments of a job may have ${MAX_OF_ARGS} together, as JSON`;
  throw withOptions(jobArgsInvalid(type, `${message}.`), { errors: [{ field, message }] });
}

/** The settings on which the steps of a crawl depend, fixed at its creation. */
function planOf(read: CrawlArgs, { seedName }: { seedName?: unknown }, conf: Conf): CrawlPlan {
  const defaultTopN = conf['generate.topN'];
  const parsesWhileFetching = conf['crawl.parse.while.fetching'] || conf['fetcher.parse'];
  return {
    seedName: typeof seedName === 'string' ? seedName : null,
    rounds: read.rounds ?? null,
    topN: read.topN ?? (defaultTopN < 0 ? null : defaultTopN),
    limit: read.limit ?? null,
    adddays: read.adddays ?? 0,
    threads: read.threads ?? null,
    sitemaps: read.sitemaps ?? false,
    invertLinks: read.invertLinks ?? false,
    dedup: read.dedup ?? false,
    ranks: read.ranks ?? false,
    index: read.index ?? false,
    parsesWhileFetching,
    continuous: parsesWhileFetching && !hasStrictRounds(read, conf),
  };
}

/** Counted rounds, and steps that read the whole table after each round, require strict rounds. */
const hasStrictRounds = ({ rounds, invertLinks, dedup, index }: CrawlArgs, conf: Conf): boolean =>
  conf['crawl.rounds.strict'] ||
  rounds !== undefined ||
  invertLinks === true ||
  dedup === true ||
  index === true ||
  hasClosing(conf, makeScoring(conf));

function fieldErrors(error: ValidationError, at: string): { field: string; message: string }[] {
  const field = `${at}${error.property}`;
  const reasons = Object.values(error.constraints ?? { invalid: `${error.property} is not valid` });
  const named = (reason: string): string => (reason.startsWith(error.property) ? at + reason : `${field}: ${reason}`);
  return reasons.map((reason) => ({ field, message: `${named(reason)} (given: ${shown(error.value)})` }));
}
