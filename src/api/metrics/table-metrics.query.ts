/** What the metrics of sizes read. Sums over pages are sums over hosts. */
import { type Sql, row, rows } from '../../db/sql.js';
import { hostSums } from '../../webpage/host-pages.sql.js';
import { countsByStatus } from '../../webpage/status-count.store.js';

/** Pages of all crawls by status code: exact sums over the rows of hosts; a status without pages is omitted. */
export async function pagesByStatus(db: Sql): Promise<Record<number, number>> {
  const sums = await row<{ counts: (string | null)[] }>(db)`select ${hostSums} as counts from host`;
  return countsByStatus(sums!.counts);
}

/** Rows of partial indexes of `webpage`, as PostgreSQL estimated them when it last vacuumed or analyzed. */
export const indexEstimates = (db: Sql, indexes: readonly string[]): Promise<{ name: string; n: number }[]> =>
  rows<{ name: string; n: number }>(db)`
    select relname as name, greatest(reltuples, 0)::float8 as n from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'i' and relname = any (${indexes}::text[])`;

export interface HostSums {
  hosts: number;
  blocked: number;
  backingOff: number;
  draining: number;
}

/** All hosts (an estimate), and excluded ones (counted by their index). */
export const excludedSums = (db: Sql): Promise<HostSums | undefined> =>
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
export const robotsSums = (db: Sql): Promise<{ state: string; n: number }[]> =>
  rows<{ state: string; n: number }>(db)`
    select case when http_status between 200 and 299 then 'answered' when http_status between 300 and 499 and http_status <> 429
                then 'absent' else 'unreachable' end as state, count(*)::int as n
      from robots group by 1`;

export interface TableSize {
  name: string;
  table: number;
  indexes: number;
  live: number;
  dead: number;
}

/** Bytes and rows of the tables of the program; partitions of a table count as one. */
export const tableSizes = (db: Sql, names: readonly string[]): Promise<TableSize[]> =>
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

export interface ServerStatistics {
  bytes: number;
  connections: number;
  max: number;
  active: number;
  waiting: number;
  oldest: number;
}

/** The whole database: bytes, sessions (active, waiting for a lock), age of the oldest transaction in seconds. */
export const serverStatistics = (db: Sql): Promise<ServerStatistics | undefined> =>
  row<ServerStatistics>(db)`
    select pg_database_size(current_database())::float8 as bytes, current_setting('max_connections')::int as max,
           count(*) filter (where backend_type = 'client backend')::int as connections,
           count(*) filter (where datname = current_database() and state = 'active')::int as active,
           count(*) filter (where datname = current_database() and wait_event_type = 'Lock')::int as waiting,
           coalesce(extract(epoch from clock_timestamp() - min(xact_start)
                      filter (where datname = current_database() and pid <> pg_backend_pid())), 0)::float8 as oldest
      from pg_stat_activity`;
