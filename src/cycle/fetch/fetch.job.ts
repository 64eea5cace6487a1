/**
 * FETCH: visits the pages of a batch, politely.
 *
 * The batch is split into partitions by the hash of the queue key, so all pages of a host are in one partition. A task reads the
 * pages of its partition in chunks, adds them to the queues of their hosts, checks robots.txt, fetches (fetcher.ts), and writes
 * the collected results (visit-writer.ts) with the fetch mark. A later attempt skips pages that this job has fetched; with
 * `resume` also those that any job has fetched. A partition that would take longer than the others is divided for idle workers
 * (task-partition.ts).
 */
import { Injectable } from '@nestjs/common';
import { databaseClock } from '../../db/database-clock.js';
import { reverseUrl } from '../../core/url/row-key.js';
import { timeLimitAt } from '../../core/politeness/throughput.js';
import type { CounterGroups } from '../../core/job/job-types.js';
import { LeaseLost } from '../../job/claim.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { recordOutcomes } from '../../politeness/host-settings.store.js';
import { ensureHistoryPartitions, withHistoryPartition } from '../../webpage/fetch-history.store.js';
import { ALL, batchSize, batchesWithPages, isVisited } from '../batch-chunks.sql.js';
import { resolveBatchOrAll } from '../resolve-batch.js';
import { PageParser } from '../parse/page-parser.js';
import type { Run, Step, StepEnd } from '../step.js';
import type { FetchArgs } from './fetch.args.js';
import { type ChunkQuery, countRest, nextWaiting, writeVisits } from './fetch.sql.js';
import { Fetcher } from './fetcher.js';
import { FetchReport } from './fetch-report.js';
import { ParseRest } from './parse-rest.js';
import { ParseWhileFetching } from './parse-while-fetching.js';
import { fetchLimitsOf } from '../../plugin/http-protocol.js';
import { ProtocolClients } from '../../plugin/protocols.js';
import { requireCrawler } from '../require-crawler.js';
import {
  DivisionWatch,
  type PartitionPlan,
  dividePartition,
  partitionOf,
  planPartitions,
  threadsOfJob,
} from './task-partition.js';
import type { FetcherOptions } from './task-rules.js';
import { type VisitChunk, VisitWriter } from './visit-writer.js';
import { FETCHED_BEFORE, WAITING } from '../../core/job/fetch-counters.js';

/** Pages per task: a smaller batch has one task. */
const WORTH_A_TASK = 50;

interface Plan extends PartitionPlan, Record<string, unknown> {
  /** The batches to fetch: without the name of one, those that are open when the job begins. */
  batches: string[];
  selected: number;
  /** Whether no page of the batch was fetched before the job began. */
  unvisited: boolean;
  /** When the job had the batch for itself, ms by the clock of the database. */
  begunAt: number;
}

@Injectable()
export class FetchJob implements Step<FetchArgs> {
  async run(run: Run<FetchArgs>): Promise<StepEnd> {
    const { conf } = run;
    requireCrawler(conf);
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    if (plan.selected === 0) return { reason: 'no-urls' };
    // The partitions that the worker maintains may be missing after the clock of the database was set.
    await ensureHistoryPartitions(run.pool);
    const talk = run.trace && ((url: string, line: string) => run.trace?.(reverseUrl(url), { talk: line }));
    const client = new ProtocolClients(conf, { ownPorts: run.ownPorts, talk });
    try {
      return await this.fetchPartition(run, plan, client);
    } finally {
      client.close();
    }
  }

  /** Fetches the partition of this task; after each division, the partition that it keeps. */
  private async fetchPartition(run: Run<FetchArgs>, plan: Plan, client: ProtocolClients): Promise<StepEnd> {
    const { conf, args, job } = run;
    const rules = makeUrlRules(conf);
    const clock = await databaseClock(run.pool);
    // What another FETCH fetched while this one waited for it is not this job's.
    const begunAt = new Date(plan.begunAt);
    const endsAt = timeLimitAt(begunAt.getTime(), conf['fetcher.timelimit.mins']);
    const parser = parses(run) ? new PageParser(conf, rules) : null;
    const report = new FetchReport(run, plan.selected);
    let partition = partitionOf(run, plan);
    try {
      for (;;) {
        const query: ChunkQuery = {
          crawl: job.crawl,
          // A continuous crawl adds its batches later (FurtherBatches).
          batches: run.batches ? [] : [...plan.batches],
          sitemap: kindFetched(args),
          part: partition.part,
          parts: partition.parts,
          resume: args.resume ?? false,
          unvisited: plan.unvisited,
          begunAt,
          limit: 0,
        };
        const read: FetcherOptions['read'] = (from, after) => nextWaiting(run.retrying, { ...query, ...from }, after);
        const writer = new VisitWriter(run, parser, (chunk) => writeChunk(run, chunk));
        const watch: DivisionWatch = new DivisionWatch({ run, query, partition, plan }, () => fetcher.wasSaturated());
        const { threads } = partition;
        const isLimited = args.threads !== undefined;
        const options = {
          read,
          query,
          rules,
          client,
          writer,
          limits: fetchLimitsOf(conf),
          threads,
          isLimited,
          clock,
          endsAt,
        };
        const fetcher = new Fetcher(run, { ...options, divide: watch.signal });
        report.fetching(fetcher, writer, partition);
        const meanwhile = parser && run.batches && new ParseWhileFetching(run, run.batches, { query, parser, writer });
        const reason = await fetcher
          .fetchAll()
          .finally(() => meanwhile?.end())
          .catch(stoppedByAbort(run))
          .finally(() => watch.end());
        if (reason !== 'divided') {
          const parsed = parser && reason !== 'stopped' ? await this.parseRest(run, { query, parser, report }) : reason;
          const end = { selected: plan.selected, read: fetcher.left, reason: parsed === 'stopped' ? parsed : reason };
          return { reason: end.reason, left: () => this.rest(run, query, end) };
        }
        partition = await dividePartition({ run, query, partition, plan });
      }
    } finally {
      await report.end();
    }
  }

  private parseRest(
    run: Run<FetchArgs>,
    { query, parser, report }: { query: ChunkQuery; parser: PageParser; report: FetchReport },
  ): Promise<'done' | 'stopped'> {
    const rest = new ParseRest(run, query, parser);
    report.parsing(rest);
    return rest.parseAll();
  }

  /**
   * Counts the pages that the partition leaves, so that the counters add up: selected = the sum of FetcherStatus. Counted at the
   * end of the task: an attempt that is interrupted, also by a shutdown, leaves them to the next one.
   * @param read pages that were read and stay in the batch, by reason
   */
  private async rest(
    run: Run<FetchArgs>,
    query: ChunkQuery,
    { selected, read, reason }: { selected: number; read: Record<string, number>; reason: string },
  ): Promise<CounterGroups> {
    const { pending, before, unparsed } = await countRest(run.retrying, query);
    const known = Object.values(read).reduce((sum, n) => sum + n, 0);
    const unread = reason === 'time-limit' ? WAITING.unread : WAITING.pending;
    const left = { [unread]: pending - known, [FETCHED_BEFORE]: before, ...read };
    const counted = {
      ...(run.part === 0 && { selected: await selectedOf(run, selected) }),
      // A crawl adds a PARSE for them; otherwise they would not be parsed.
      ...(parses(run) && unparsed > 0 && { unparsed }),
    };
    return {
      ...(Object.keys(counted).length > 0 && { Fetcher: counted }),
      FetcherStatus: Object.fromEntries(Object.entries(left).filter(([, n]) => n > 0)),
    };
  }
}

/** Writes a chunk of visits in one transaction. */
const writeChunk = (run: Run, { visits, counts, outcomes }: VisitChunk): Promise<void> =>
  withHistoryPartition(run.pool, () =>
    run.write(async (tx, count) => {
      await writeVisits(tx, run.job, visits, { count, trace: run.trace });
      counts.forEach((counted) => count(...counted));
      await recordOutcomes(tx, run.job.crawl, outcomes(performance.now()));
    }),
  );

/** Pages that GENERATE has selected for the job; in a continuous crawl those of all its batches. */
async function selectedOf({ batches }: Run, ofFirst: number): Promise<number> {
  if (!batches) return ofFirst;
  return (await batches.open()).batches.reduce((sum, { pages }) => sum + pages, 0);
}

/** After an abort, requests and statements may fail with any error: the task still ends as stopped, and the rest is counted. */
const stoppedByAbort =
  (run: Run) =>
  (error: unknown): 'stopped' => {
    if (!run.aborted.aborted || error instanceof LeaseLost) throw error;
    return 'stopped';
  };

const parses = ({ args, conf }: Run<FetchArgs>): boolean =>
  args.parse ?? (args.noParsing ? false : conf['fetcher.parse']);

/** Sitemaps only with the argument; of `-all` only pages, as GENERATE selects them; else both. */
const kindFetched = ({ sitemap, batch, segment }: FetchArgs): boolean | null =>
  sitemap ? true : (batch ?? segment) === ALL ? false : null;

async function makePlan(run: Run<FetchArgs>): Promise<Plan | null> {
  const { args, job } = run;
  const batch = await resolveBatchOrAll(run.pool, job.crawl, args.batch ?? args.segment);
  if (!(await run.lock(`FETCH/${batch}`))) return null;
  const begunAt = (await databaseClock(run.pool))();
  const sitemap = kindFetched(args);
  const batches = batch === ALL ? await batchesWithPages(run.pool, job.crawl, { visited: false }) : [batch];
  const selected = await batchSize(run.pool, job.crawl, batches, { sitemap });
  const threads = threadsOfJob(run, run.servers);
  // A continuous crawl begins with few pages.
  const worth = run.batches ? Infinity : Math.ceil(selected / WORTH_A_TASK);
  const parts = Math.max(1, Math.min(args.numTasks ?? run.workers, threads, worth));
  const unvisited = !(await isVisited(run.pool, job.crawl, batch));
  return {
    ...(await planPartitions(run, { batches, sitemap }, { parts, threads, selected })),
    batches,
    selected,
    unvisited,
    begunAt,
  };
}
