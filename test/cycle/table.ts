/**
 * Queries of the table for the specs of the cycle, and invariants of the whole table after any jobs.
 */
import { expect } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import type { Cycle } from '../support/cycle.js';

export interface PageRow {
  host: string;
  key: string;
  status: number;
  score: number;
  cash: number;
  spend: number | null;
  distance: number;
  fetch_time: Date;
  prev_fetch_time: Date | null;
  fetch_interval: number;
  retries_since_fetch: number;
  modified_time: Date | null;
  last_modified: Date | null;
  rank: number | null;
  batch_id: string | null;
  inject_mark: string | null;
  generate_mark: string | null;
  fetch_mark: string | null;
  parse_mark: string | null;
  update_mark: string | null;
  protocol_code: number | null;
  protocol_args: string[] | null;
  http_status: number | null;
  parse_major: number | null;
  parse_minor: number | null;
  parse_args: string[] | null;
  signature: string | null;
  prev_signature: string | null;
  source_kind: string;
  redirect_url: string | null;
  repr_url: string | null;
  title: string | null;
  content_type: string | null;
  metadata: Record<string, string> | null;
}

/** The pages of a crawl in key order. */
export function pages(cycle: Cycle, crawlId = 'k'): Promise<PageRow[]> {
  return cycle.db.query<PageRow & Record<string, unknown>>(
    'select w.* from webpage w join crawl c on c.id = w.crawl where c.name = $1 order by w.key',
    [crawlId],
  );
}

/** The path (and query) of a row key. */
export const pathOf = (key: string): string => key.slice(key.indexOf('/'));

/** One value of each page, by path. */
export async function byPath<T>(cycle: Cycle, value: (page: PageRow) => T, crawlId = 'k'): Promise<Record<string, T>> {
  return Object.fromEntries((await pages(cycle, crawlId)).map((page) => [pathOf(page.key), value(page)]));
}

/** The page with this path. */
export async function pageAt(cycle: Cycle, path: string, crawlId = 'k'): Promise<PageRow> {
  const found = (await pages(cycle, crawlId)).find(({ key }) => pathOf(key) === path);
  if (!found) throw new Error(`no page ${path} in crawl ${crawlId}`);
  return found;
}

/** A counter of a job, 0 when it was never counted. */
export const counter = (job: JobRow, group: string, name: string): number => job.result?.counters[group]?.[name] ?? 0;

/** A group of counters of a job. */
export const counters = (job: JobRow, group: string): Record<string, number> => job.result?.counters[group] ?? {};

export const batchOf = (job: JobRow): string => String(job.result?.['generate.batch.id']);

/** The paths of a batch in key order. */
export async function batchPaths(cycle: Cycle, job: JobRow, crawlId = 'k'): Promise<string[]> {
  return (await pages(cycle, crawlId))
    .filter((page) => page.generate_mark === batchOf(job))
    .map(({ key }) => pathOf(key));
}

/** Makes the waiting pages of a crawl due, as if `days` had passed. */
export async function passDays(cycle: Cycle, days: number, crawlId = 'k'): Promise<void> {
  await cycle.db.query(
    `with earlier as materialized (select crawl, host, key, fetch_time - make_interval(days => $2) as time from webpage
                                    where crawl = (select id from crawl where name = $1) and generate_mark is null)
     update webpage w set fetch_time = e.time from earlier e where w.crawl = e.crawl and w.host = e.host and w.key = e.key`,
    [crawlId, days],
  );
}

/** Invariants of the table after every job: counts per host, marks, cash. */
export async function expectConsistent(cycle: Cycle): Promise<void> {
  const counted = await cycle.db.query(`
    select crawl, host, unnest(array[1, 2, 3, 4, 5, 6, 7, 8, 9, 34]) as status,
           unnest(array[n_unfetched, n_fetched, n_gone, n_redir_temp, n_redir_perm, n_notmodified, n_duplicate, n_orphan,
                        n_parse_failed, n_retry])::int as n
      from host`);
  const real = await cycle.db.query(
    'select crawl, host, status::int, count(*)::int as n from webpage group by 1, 2, 3',
  );
  const text = (rows: unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  expect(text(counted.filter(({ n }) => n !== 0))).toEqual(text(real));
  const odd = await cycle.db.query(`
    select key from webpage
     where (generate_mark is null and (spend is not null or fetch_mark is not null))
        or (status = 34 and fetch_mark is null) or cash < 0`);
  expect(odd).toEqual([]);
}
