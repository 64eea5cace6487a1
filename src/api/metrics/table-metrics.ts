/** Sizes: pages, hosts, robots.txt files, tables, connections. Read rarely: these sums scan all hosts. */
import type { Registry } from 'prom-client';
import { PAGE_STATUS, PAGE_STATUS_CODES, statusName } from '../../core/page/page-status.js';
import type { Sql } from '../../db/sql.js';
import { clearAll, gauge } from './prometheus-metrics.js';
import type { MetricCollector } from './metric-collector.js';
import {
  excludedSums,
  indexEstimates,
  pagesByStatus,
  robotsSums,
  serverStatistics,
  tableSizes,
} from './table-metrics.query.js';

const FRESH_MS = 30_000;
const TABLES = ['webpage', 'page_content', 'inlink', 'host', 'fetch_history', 'robots', 'job', 'job_task', 'job_event'];
/** The states of a page, by the index that finds its pages. */
const STATES: Record<string, string> = {
  webpage_selectable: 'selectable',
  webpage_waiting: 'waiting',
  webpage_batch: 'in_batch',
};

/** Pages by status and by index. */
export function pagesKnown(registry: Registry): MetricCollector {
  const pages = gauge(registry, 'pages', 'Pages of all crawls by status.', ['status']);
  const waiting = gauge(registry, 'pages_waiting', 'Pages of all crawls that wait for their first fetch.');
  const state = gauge(
    registry,
    'pages_estimate',
    'Pages that GENERATE may select now, that are not due yet, or that are in a batch: as of the last vacuum or analyze.',
    ['place'],
  );
  const clear = () => clearAll([pages, waiting, state]);
  const read = async (db: Sql) => {
    const [counts, estimates] = [await pagesByStatus(db), await indexEstimates(db, Object.keys(STATES))];
    clear();
    for (const code of PAGE_STATUS_CODES) pages.set({ status: statusName(code) }, counts[code] ?? 0);
    waiting.set(counts[PAGE_STATUS.unfetched] ?? 0);
    for (const { name, n } of estimates) state.set({ place: STATES[name]! }, n);
  };
  return { name: 'known', freshMs: FRESH_MS, read, clear };
}

/** Excluded hosts, and origins by the result of their robots.txt. */
export function hostsExcluded(registry: Registry): MetricCollector {
  const hosts = gauge(registry, 'hosts', 'Hosts of all crawls, an estimate.');
  const excluded = gauge(registry, 'hosts_held', 'Excluded hosts, by reason.', ['reason']);
  const robots = gauge(registry, 'robots', 'Origins by the result of their robots.txt.', ['state']);
  const clear = () => clearAll([hosts, excluded, robots]);
  const read = async (db: Sql) => {
    const [sums, states] = [await excludedSums(db), await robotsSums(db)];
    clear();
    hosts.set(sums?.hosts ?? 0);
    excluded.set({ reason: 'blocked' }, sums?.blocked ?? 0);
    excluded.set({ reason: 'back_off' }, sums?.backingOff ?? 0);
    excluded.set({ reason: 'drain' }, sums?.draining ?? 0);
    for (const state of ['answered', 'absent', 'unreachable'])
      robots.set({ state }, states.find((counted) => counted.state === state)?.n ?? 0);
  };
  return { name: 'hosts', freshMs: FRESH_MS, read, clear };
}

/** Tables, and the database server by its own statistics. */
export function databaseSize(registry: Registry): MetricCollector {
  const bytes = gauge(registry, 'table_bytes', 'Bytes of a table (with TOAST) and of its indexes.', ['table', 'part']);
  const tuples = gauge(registry, 'table_rows', 'Rows of a table, an estimate; dead ones until vacuum removes them.', [
    'table',
    'state',
  ]);
  const size = gauge(registry, 'database_bytes', 'Bytes of the database.');
  const sessions = gauge(registry, 'database_connections', 'Connections to the database server, of all its clients.');
  const max = gauge(registry, 'database_connections_max', 'Connections that it allows.');
  const busy = gauge(
    registry,
    'database_sessions',
    'Active sessions of this database, and those that wait for a lock.',
    ['state'],
  );
  const oldest = gauge(registry, 'database_oldest_transaction_seconds', 'Age of the oldest open transaction.');
  const gauges = [bytes, tuples, size, sessions, max, busy, oldest];
  const clear = () => clearAll(gauges);
  const read = async (db: Sql) => {
    const [tables, server] = [await tableSizes(db, TABLES), await serverStatistics(db)];
    clear();
    for (const { name: table, ...sums } of tables) {
      bytes.set({ table, part: 'table' }, sums.table);
      bytes.set({ table, part: 'indexes' }, sums.indexes);
      tuples.set({ table, state: 'live' }, sums.live);
      tuples.set({ table, state: 'dead' }, sums.dead);
    }
    if (server === undefined) return;
    size.set(server.bytes);
    sessions.set(server.connections);
    max.set(server.max);
    busy.set({ state: 'active' }, server.active);
    busy.set({ state: 'waiting_for_lock' }, server.waiting);
    oldest.set(server.oldest);
  };
  return { name: 'tables', freshMs: FRESH_MS, read, clear };
}
