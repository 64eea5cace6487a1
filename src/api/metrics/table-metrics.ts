/** Sizes: pages, hosts, robots.txt files, tables, connections. Read rarely: these sums scan all hosts. */
import type { Registry } from 'prom-client';
import { PAGE_STATUS, PAGE_STATUS_CODES, statusName } from '../../core/page/page-status.js';
import { type Sql, row, rows } from '../../db/sql.js';
import { hostSums } from '../../webpage/host-pages.sql.js';
import { countsByStatus } from '../../webpage/status-counts.js';
import { clearAll, gauge } from './prometheus-metrics.js';
import type { MetricPart } from './metric-part.js';

const FRESH_MS = 30_000;
const TABLES = ['webpage', 'page_content', 'inlink', 'host', 'fetch_history', 'robots', 'job', 'job_task', 'job_event'];
/** The states of a page, by the index that finds its pages. */
const STATES: Record<string, string> = {
  webpage_selectable: 'selectable',
  webpage_waiting: 'waiting',
  webpage_batch: 'in_batch',
};

/** Pages by status and by index. */
export function pagesKnown(registry: Registry): MetricPart {
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
export function hostsExcluded(registry: Registry): MetricPart {
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
      robots.set({ state }, states.find((one) => one.state === state)?.n ?? 0);
  };
  return { name: 'hosts', freshMs: FRESH_MS, read, clear };
}

/** Tables, and the database server by its own statistics. */
export function databaseSize(registry: Registry): MetricPart {
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
  const all = [bytes, tuples, size, sessions, max, busy, oldest];
  const clear = () => clearAll(all);
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

/** Pages of all crawls by status code: exact sums over the rows of hosts; a status without pages is omitted. */
async function pagesByStatus(db: Sql): Promise<Record<number, number>> {
  const sums = await row<{ counts: (string | null)[] }>(db)`select ${hostSums} as counts from host`;
  return countsByStatus(sums!.counts);
}

/** Rows of partial indexes of `webpage`, as PostgreSQL estimated them when it last vacuumed or analyzed. */
const indexEstimates = (db: Sql, indexes: readonly string[]): Promise<{ name: string; n: number }[]> =>
  rows<{ name: string; n: number }>(db)`
    select relname as name, greatest(reltuples, 0)::float8 as n from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'i' and relname = any (${indexes}::text[])`;

interface HostSums {
  hosts: number;
  blocked: number;
  backingOff: number;
  draining: number;
}

/** All hosts (an estimate), and excluded ones (counted by their index). */
const excludedSums = (db: Sql): Promise<HostSums | undefined> =>
  row<HostSums>(db)`
    select (select greatest(reltuples, 0)::float8 from pg_class where oid = 'host'::regclass) as hosts, excluded.*
      from (select count(*) filter (where blocked_until > now() and blocked_by = 'hand')::int as blocked,
                   count(*) filter (where blocked_until > now() and blocked_by = 'back-off')::int as "backingOff",
                   count(*) filter (where drain)::int as draining
              from host where drain or blocked_until is not null) excluded`;

/**
 * Origins by the result of their robots.txt: answered, absent (4xx, too many redirects: all is allowed), unreachable (nothing
 * is).
 */
const robotsSums = (db: Sql): Promise<{ state: string; n: number }[]> =>
  rows<{ state: string; n: number }>(db)`
    select case when http_status between 200 and 299 then 'answered' when http_status between 300 and 499 and http_status <> 429
                then 'absent' else 'unreachable' end as state, count(*)::int as n
      from robots group by 1`;

interface TableSize {
  name: string;
  table: number;
  indexes: number;
  live: number;
  dead: number;
}

/** Bytes and rows of the tables of the program; partitions of a table count as one. */
const tableSizes = (db: Sql, names: readonly string[]): Promise<TableSize[]> =>
  rows<TableSize>(db)`
    select coalesce(parent.relname, c.relname) as name, sum(pg_table_size(c.oid))::float8 as table,
           sum(pg_indexes_size(c.oid))::float8 as indexes, sum(coalesce(s.n_live_tup, 0))::float8 as live,
           sum(coalesce(s.n_dead_tup, 0))::float8 as dead
      from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid
      left join pg_class parent on parent.oid = i.inhparent
      left join pg_stat_user_tables s on s.relid = c.oid
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
       and coalesce(parent.relname, c.relname) = any (${names}::text[])
     group by 1`;

interface ServerStatistics {
  bytes: number;
  connections: number;
  max: number;
  active: number;
  waiting: number;
  oldest: number;
}

/** The whole database: bytes, sessions (active, waiting for a lock), age of the oldest transaction in seconds. */
const serverStatistics = (db: Sql): Promise<ServerStatistics | undefined> =>
  row<ServerStatistics>(db)`
    select pg_database_size(current_database())::float8 as bytes, current_setting('max_connections')::int as max,
           count(*) filter (where backend_type = 'client backend')::int as connections,
           count(*) filter (where datname = current_database() and state = 'active')::int as active,
           count(*) filter (where datname = current_database() and wait_event_type = 'Lock')::int as waiting,
           coalesce(extract(epoch from clock_timestamp() - min(xact_start)
                      filter (where datname = current_database() and pid <> pg_backend_pid())), 0)::float8 as oldest
      from pg_stat_activity`;
