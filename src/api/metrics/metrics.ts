/**
 * What the server tells Prometheus: how fast, what waits, what fails, what grows.
 *
 * The process counts itself (requests, connections, memory, event loop); everything else stands in the database, because
 * workers run on other machines, and is read when somebody asks (metric-part.ts). Whoever asks gets an answer within
 * seconds: when the database is slow or away, its figures are missing and `orbweaver_metrics_part_up` says so.
 * One object a server: tests run several in a process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { isTransient } from '../../db/transient.js';
import type { Database } from '../database.js';
import { gauge } from './figures.js';
import type { MetricPart } from './metric-part.js';
import { databaseSize, hostsHeld, pagesKnown } from './table-metrics.js';
import { helpers, movesMade, openWork, pagesDone } from './work-metrics.js';

/** For how long the database is waited for, ms; Prometheus itself waits 10 s. */
const PATIENCE_MS = 4_000;

/** Why a part could not be read: the database is away, or its statement failed. */
type Failure = 'away' | 'failed';

export class Metrics {
  readonly registry = new Registry();
  private readonly parts: MetricPart[];
  private readonly readAt = new Map<MetricPart, number>();
  private readonly up = gauge(
    this.registry,
    'metrics_part_up',
    'Whether the figures of this part could be read from the database (1), or are missing (0).',
    ['part'],
  );
  private reading: Promise<void> | undefined;

  constructor(private readonly database: Pick<Database, 'pool'>) {
    collectDefaultMetrics({ register: this.registry });
    const made = [openWork, pagesDone, movesMade, helpers, pagesKnown, hostsHeld, databaseSize];
    this.parts = made.map((make) => make(this.registry));
  }

  /** Reads everything once: what is counted from now on is counted from here. */
  async begin(): Promise<void> {
    await this.refresh();
  }

  /** All metrics in Prometheus' text form, with figures that are fresh enough, or without those that cannot be had. */
  async text(): Promise<string> {
    await this.refresh();
    return this.registry.metrics();
  }

  /** However many ask at once, the database is asked once; who has waited long enough goes on without. */
  private async refresh(): Promise<void> {
    this.reading ??= this.readDue().finally(() => (this.reading = undefined));
    const late = new AbortController();
    await Promise.race([this.reading, sleep(PATIENCE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
  }

  private async readDue(): Promise<void> {
    let away = false;
    for (const part of this.parts) {
      const age = performance.now() - (this.readAt.get(part) ?? -Infinity);
      if (age < part.freshMs) continue;
      const failed: Failure | undefined = away ? 'away' : await this.read(part);
      // A database that is away is asked once, and not by each part after the other.
      away ||= failed === 'away';
      if (failed) part.clear();
      else this.readAt.set(part, performance.now());
      this.up.set({ part: part.name }, failed ? 0 : 1);
    }
  }

  private async read(part: MetricPart): Promise<Failure | undefined> {
    try {
      await part.read(this.database.pool);
      return undefined;
    } catch (error) {
      return isTransient(error) ? 'away' : 'failed';
    }
  }
}
