/** What a task fetches with: its partition, and the rules of its queues, bandwidth and throughput, from the properties. */
import { BandwidthWatch } from '../../core/politeness/bandwidth.js';
import type { QueueRules } from '../../core/politeness/queue-rules.js';
import { ThroughputWatch } from '../../core/politeness/throughput.js';
import type { DatabaseClock } from '../../db/database-clock.js';
import type { FetchLimits } from '../../net/http-client.js';
import type { ProtocolClients } from '../../plugin/protocols.js';
import { paceRules, withSlack } from '../../politeness/host-pace.js';
import type { Run } from '../step.js';
import type { ChunkFeederOptions } from './chunk-feeder.js';
import type { ChunkQuery } from './fetch.sql.js';
import type { VisitWriter } from './visit-writer.js';

export interface FetcherOptions extends ChunkFeederOptions {
  query: ChunkQuery;
  client: ProtocolClients;
  writer: VisitWriter;
  limits: FetchLimits;
  /** Concurrent requests. */
  threads: number;
  /** The job limits concurrent requests itself: slow ones count, and each until its server has seen its end. */
  isLimited: boolean;
  clock: DatabaseClock;
  /** When fetching ends (`fetcher.timelimit.mins`), by that clock. */
  endsAt: number;
  /** Fires when the remaining pages are to be divided among workers: no further visit begins. */
  divide: AbortSignal;
}

/** Time between two checks of the throughput. */
const THROUGHPUT_CHECK_MS = 5_000;

/** The target bandwidth and the maximum of threads, divided among the partitions of the job. */
export function bandwidthOf(
  { conf }: Run,
  { query, threads }: Pick<FetcherOptions, 'query' | 'threads'>,
): BandwidthWatch {
  const rules = {
    target: (conf['fetcher.bandwidth.target'] * 1000) / query.parts,
    every: conf['fetcher.bandwidth.target.check.everyNSecs'] * 1000,
    max: Math.max(1, Math.floor(conf['fetcher.maxNum.threads'] / query.parts)),
  };
  return new BandwidthWatch(rules, threads, performance.now());
}

export function queueRules(
  { conf }: Run,
  { clock, endsAt, threads: ofTask }: Pick<FetcherOptions, 'clock' | 'endsAt' | 'threads'>,
): QueueRules {
  const { threads, delayMs: delay, minDelayMs: minDelay } = paceRules(conf);
  return {
    threads,
    delayMs: withSlack(delay),
    minDelayMs: withSlack(minDelay),
    // One queue may have half of the pages that are read ahead.
    maxPages: Math.ceil((ofTask * conf['fetcher.queue.depth.multiplier']) / 2),
    maxExceptions: conf['fetcher.max.exceptions.per.queue'],
    exceptionDelay: conf['fetcher.exceptions.per.queue.delay'] * 1000,
    maxBackOffMs: conf['fetcher.backoff.max'] * 1000,
    exceptionsClearAfter: conf['fetcher.exceptions.per.queue.clear.after'] * 1000,
    endsAt: performance.now() + (endsAt - clock()),
  };
}

/** Watches the throughput from now on; fetching ends below a threshold of pages per second (`fetcher.throughput.threshold.*`). */
export const throughputOf = ({ conf }: Run): ThroughputWatch =>
  new ThroughputWatch(
    {
      pagesPerSecond: conf['fetcher.throughput.threshold.pages'],
      retries: conf['fetcher.throughput.threshold.retries'],
      checkAfter: conf['fetcher.throughput.threshold.check.after'] * 60_000,
      every: THROUGHPUT_CHECK_MS,
    },
    performance.now(),
  );
