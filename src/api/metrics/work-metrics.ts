/** Metrics of work: jobs, tasks, the queue, pages, workers, webhooks. Their statements: work-metrics.query.ts. */
import type { Registry } from 'prom-client';
import type { Sql } from '../../db/sql.js';
import { outcomeOf } from '../../core/job/fetch-figures.js';
import { jobTypes } from '../../core/job/job-types.js';
import { type JobState, finalStates } from '../../core/job/job-states.js';
import { CounterLedger } from '../../core/job/counter-ledger.js';
import { LabelValues, clearAll, counter, gauge } from './prometheus-metrics.js';
import type { MetricCollector } from './metric-collector.js';
import {
  databaseTime,
  jobCounts,
  jobEventCounts,
  openJobs,
  openTasks,
  parserWaits,
  pendingDeliveries,
  queueBacklog,
  workerSums,
  type JobEventCount,
} from './work-metrics.query.js';

const FRESH_MS = 2_000;
/** Longest interval between two readings for which work is counted: less frequent readings are no basis for rates. */
const MAX_GAP_MS = 3_600_000;
/** An ended job is still read for this long after its end, so that a late commit is not missed. */
const OVERLAP_MS = 60_000;
/** The log is read up to this long ago: an entry becomes visible when its transaction commits, shortly after its time. */
const SETTLED_MS = 1_000;
/**
 * Statuses used in alerts (docs/operations.md). They begin at 0: Prometheus sees no increase when a counter first appears
 * with a value.
 */
const WATCHED = ['success', 'exception', 'retry', 'access_denied', 'robots_deferred', 'above_exception_threshold'];

const before = (time: Date, ms: number): Date => new Date(time.getTime() - ms);
const later = (a: Date, b: Date): Date => (a > b ? a : b);

/** Jobs, tasks and messages that are open now. */
export function openWork(registry: Registry): MetricCollector {
  const jobs = gauge(registry, 'jobs', 'Jobs that have not ended, by type and state.', ['type', 'state']);
  const oldestJob = gauge(registry, 'job_oldest_waiting_seconds', 'Age of the oldest job that no worker has started.');
  const tasks = gauge(registry, 'tasks', 'Tasks that wait or run, by type of their job.', ['type', 'state']);
  const oldest = gauge(registry, 'task_oldest_waiting_seconds', 'Time for which the oldest task has waited.', ['type']);
  const expired = gauge(registry, 'task_leases_lapsed', 'Running tasks with an expired lease, not claimed again yet.');
  const messages = gauge(registry, 'queue_messages', 'Messages of the queue that no worker has fetched.');
  const lag = gauge(registry, 'queue_lag_seconds', 'Age of the oldest of them.');
  const parsing = gauge(registry, 'parser_waiting_pages', 'Fetched pages that wait for a slow parser.');
  const longest = gauge(
    registry,
    'parser_page_seconds',
    'Longest time for which a parser has worked on its current page.',
  );
  const gauges = [jobs, oldestJob, tasks, oldest, expired, messages, lag, parsing, longest];
  const clear = () => clearAll(gauges);
  const read = async (db: Sql) => {
    const [open, taskGroups, backlog] = [await openJobs(db), await openTasks(db), await queueBacklog(db)];
    const parser = await parserWaits(db);
    clear();
    for (const { type, state, n } of open) jobs.set({ type, state }, n);
    oldestJob.set(Math.max(0, ...open.filter(({ state }) => state === 'IDLE').map(({ age }) => age)));
    for (const { type, state, n } of taskGroups) tasks.set({ type, state }, n);
    for (const { type, age } of taskGroups.filter(({ state }) => state === 'WAITING')) oldest.set({ type }, age);
    expired.set(taskGroups.reduce((sum, task) => sum + task.expired, 0));
    messages.set(backlog?.n ?? 0);
    lag.set(backlog?.age ?? 0);
    parsing.set(parser?.pages ?? 0);
    longest.set(parser?.seconds ?? 0);
  };
  return { name: 'work', freshMs: FRESH_MS, read, clear };
}

/** Pages and bytes, as counted by the tasks in the transactions that wrote them. */
export function pagesDone(registry: Registry): MetricCollector {
  const labelled = (name: string, help: string, label: string) => {
    const values = new LabelValues();
    const metric = counter(registry, name, help, [label]);
    return (value: string, n: number) => metric.inc({ [label]: values.valueOrOther(value.toLowerCase()) }, n);
  };
  const plain = (name: string, help: string) => {
    const metric = counter(registry, name, help);
    return (n: number) => metric.inc(n);
  };
  const fetched = labelled('pages_fetched_total', 'Pages that FETCH has processed, by result.', 'status');
  for (const status of WATCHED) fetched(status, 0);
  const outcomes = labelled(
    'page_outcomes_total',
    'The same, by the results that jobs report: fetched, failed, redirected, denied.',
    'outcome',
  );
  for (const outcome of ['fetched', 'failed', 'redirected', 'denied']) outcomes(outcome, 0);
  const cut = plain('pages_cut_total', 'Fetched pages whose content was truncated.');
  const visited = (status: string, n: number) => {
    const outcome = outcomeOf(status);
    if (outcome === null) return;
    fetched(status, n);
    outcomes(outcome, n);
  };
  const parsed = labelled('pages_parsed_total', 'Pages that were parsed, by result.', 'status');
  const updated = labelled('pages_updated_total', 'Work of UPDATEDB, by its counters.', 'what');
  const bytes = plain('fetched_bytes_total', 'Bytes of responses as received, before decompression.');
  const selected = plain('pages_selected_total', 'Pages that GENERATE put into a batch.');
  const injected = plain('urls_injected_total', 'URLs that INJECT added.');
  const counts: Record<string, (name: string, n: number) => void> = {
    FetcherStatus: visited,
    ParserStatus: parsed,
    UpdateDb: updated,
    Fetcher: (name, n) => {
      if (name === 'bytes_downloaded') bytes(n);
      if (name === 'truncated') cut(n);
    },
    Generator: (name, n) => void (name === 'GENERATE_MARK' && selected(n)),
    injector: (name, n) => void (name === 'urls_injected' && injected(n)),
  };
  const ledger = new CounterLedger();
  let last: Date | undefined;
  const read = async (db: Sql) => {
    const now = await databaseTime(db);
    const since = later(before(last ?? now, OVERLAP_MS), before(now, MAX_GAP_MS));
    for (const { group, name, n } of ledger.since(await jobCounts(db, since, Object.keys(counts))))
      counts[group]?.(name, n);
    last = now;
  };
  return { name: 'pages', freshMs: FRESH_MS, read, clear: () => undefined };
}

/** State changes of jobs and tasks, and warnings, counted from the log. */
export function jobEvents(registry: Registry): MetricCollector {
  const ended = counter(registry, 'jobs_ended_total', 'Jobs that ended, by type and state.', ['type', 'state']);
  const attempts = counter(registry, 'task_attempts_total', 'Attempts: tasks that a worker started, including again.', [
    'type',
  ]);
  const done = counter(registry, 'tasks_ended_total', 'Tasks that ended.', ['type', 'result']);
  const lost = counter(registry, 'task_leases_lost_total', 'Tasks that were taken from a worker without heartbeats.', [
    'type',
  ]);
  const warnings = counter(registry, 'job_warnings_total', 'Warnings in the logs of jobs.', ['type']);
  // Prometheus sees no increase when a counter first appears with a value: the first failure would be missed.
  for (const type of jobTypes) {
    for (const state of finalStates) ended.inc({ type, state }, 0);
    warnings.inc({ type }, 0);
    // A CRAWL has no tasks.
    if (type === 'CRAWL') continue;
    for (const result of ['done', 'failed']) done.inc({ type, result }, 0);
    attempts.inc({ type }, 0);
    lost.inc({ type }, 0);
  }
  const task = ({ type, state, n, lost: wasLost, failed }: Omit<JobEventCount, 'kind'>) => {
    if (state === 'RUNNING') attempts.inc({ type }, n);
    else if (state === 'DONE') done.inc({ type, result: failed ? 'failed' : 'done' }, n);
    else if (wasLost) lost.inc({ type }, n);
  };
  let last: Date | undefined;
  const read = async (db: Sql) => {
    const until = before(await databaseTime(db), SETTLED_MS);
    const after = later(last ?? until, before(until, MAX_GAP_MS));
    for (const { kind, type, state, n, ...ends } of await jobEventCounts(db, after, until)) {
      if (kind === 'warning') warnings.inc({ type }, n);
      else if (kind === 'task') task({ type, state, n, ...ends });
      else if (finalStates.includes(state as JobState)) ended.inc({ type, state: state! }, n);
    }
    last = until;
  };
  return { name: 'moves', freshMs: FRESH_MS, read, clear: () => undefined };
}

/** Workers of all machines, and pending webhook deliveries. */
export function workersAndWebhooks(registry: Registry): MetricCollector {
  const workers = gauge(registry, 'workers', 'Worker processes, by the state of their heartbeats.', ['state']);
  const slots = gauge(registry, 'worker_slots', 'Tasks that the live workers can run at once.');
  const pace = gauge(registry, 'worker_pages_per_second', 'Pages per second that the live workers write, in total.');
  const load = gauge(registry, 'worker_load_max', 'Fraction of time in which the busiest event loop is busy, 0 to 1.');
  const memory = gauge(registry, 'worker_memory_max_bytes', 'Resident memory of the largest worker.');
  const pending = gauge(registry, 'webhook_deliveries_waiting', 'Pending webhook deliveries.');
  const oldest = gauge(registry, 'webhook_oldest_waiting_seconds', 'Age of the oldest of them.');
  const gauges = [workers, slots, pace, load, memory, pending, oldest];
  const clear = () => clearAll(gauges);
  const read = async (db: Sql) => {
    const [sums, deliveries] = [await workerSums(db), await pendingDeliveries(db)];
    clear();
    for (const state of ['alive', 'leaving', 'lost'] as const) workers.set({ state }, sums?.[state] ?? 0);
    slots.set(sums?.slots ?? 0);
    pace.set(sums?.pagesPerSecond ?? 0);
    load.set(sums?.busiest ?? 0);
    memory.set(sums?.largest ?? 0);
    pending.set(deliveries?.n ?? 0);
    oldest.set(deliveries?.age ?? 0);
  };
  return { name: 'workers', freshMs: FRESH_MS, read, clear };
}
