/**
 * Metrics for Prometheus: throughput, queues, failures, sizes.
 *
 * The process counts its own requests, connections, memory and event loop; everything else is in the database, because
 * workers run on other machines, and is read on request (metric-collector.ts). A request is answered within seconds: when the
 * database is slow or unreachable, its values are missing and `orbweaver_metrics_part_up` is 0.
 * One object per server: tests run several in a process.
 */
import { Registry, collectDefaultMetrics } from 'prom-client';
import { isTransient } from '../../db/transient.js';
import { withinTime } from '../../net/within-time.js';
import type { Database } from '../database.js';
import { gauge } from './prometheus-metrics.js';
import type { MetricCollector } from './metric-collector.js';
import { databaseSize, hostsExcluded, pagesKnown } from './table-metrics.js';
import { jobEvents, openWork, pagesDone, workersAndWebhooks } from './work-metrics.js';

/** Timeout for the database, ms; Prometheus itself waits 10 s. */
const TIMEOUT_MS = 4_000;

/** Why a collector could not read: the database is unreachable, or the statement failed. */
type Failure = 'unreachable' | 'failed';

export class Metrics {
  readonly registry = new Registry();
  private readonly collectors: MetricCollector[];
  private readonly readAt = new Map<MetricCollector, number>();
  private readonly up = gauge(
    this.registry,
    'metrics_part_up',
    'Whether the values of this part could be read from the database (1), or are missing (0).',
    ['part'],
  );
  private reading: Promise<void> | undefined;

  constructor(private readonly database: Pick<Database, 'pool'>) {
    collectDefaultMetrics({ register: this.registry });
    const makers = [openWork, pagesDone, jobEvents, workersAndWebhooks, pagesKnown, hostsExcluded, databaseSize];
    this.collectors = makers.map((make) => make(this.registry));
  }

  /** Reads everything once: the baseline of all counters. */
  async begin(): Promise<void> {
    await this.refresh();
  }

  /** All metrics in the text format of Prometheus, without those that cannot be read now. */
  async text(): Promise<string> {
    await this.refresh();
    return this.registry.metrics();
  }

  /** Simultaneous requests share one reading; a request continues without it after the timeout. */
  private async refresh(): Promise<void> {
    this.reading ??= this.readDue().finally(() => (this.reading = undefined));
    await withinTime(TIMEOUT_MS, this.reading, () => undefined);
  }

  private async readDue(): Promise<void> {
    let isUnreachable = false;
    for (const collector of this.collectors) {
      const age = performance.now() - (this.readAt.get(collector) ?? -Infinity);
      if (age < collector.freshMs) continue;
      const failed: Failure | undefined = isUnreachable ? 'unreachable' : await this.read(collector);
      // An unreachable database is tried once, and not by each collector.
      isUnreachable ||= failed === 'unreachable';
      if (failed) collector.clear();
      else this.readAt.set(collector, performance.now());
      this.up.set({ part: collector.name }, failed ? 0 : 1);
    }
  }

  private async read(collector: MetricCollector): Promise<Failure | undefined> {
    try {
      await collector.read(this.database.pool);
      return undefined;
    } catch (error) {
      return isTransient(error) ? 'unreachable' : 'failed';
    }
  }
}
