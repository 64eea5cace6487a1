/**
 * The reads and writes of HOSTDB: aggregates over the pages, visits and links of some hosts. Each statement reads the index
 * range of its hosts and no other; counts by status are in the host rows already.
 */
import { domainKeyOf } from '../../core/url/domain.js';
import { lockInOrder } from '../../db/row-locks.js';
import { rowList } from '../../db/row-list.js';
import { type Fragment, type Sql, count, fragment, rows, sql } from '../../db/sql.js';
import type { HostLine } from '../../core/page/host-lines.js';
import { crawlColumn } from '../../webpage/crawl-column.sql.js';
import { hostPages } from '../../webpage/host-pages.sql.js';
import { FETCHED, REDIRECTED } from '../../webpage/page-status.sql.js';

export interface HostRow {
  host: string;
  pages: number;
  dnsFailures: number;
  ageMs: number | null;
}

/** Hosts of a crawl after a host, in key order. */
export const nextHostRows = (db: Sql, crawl: number, after: string, limit: number): Promise<HostRow[]> =>
  rows<HostRow>(db)`
    select host, dns_failures as "dnsFailures", (extract(epoch from now() - dns_checked_at) * 1000)::float8 as "ageMs",
           ${hostPages}::float8 as pages
      from host where crawl = ${crawl} and host > ${after} order by host limit ${limit}`;

/** Pages of each host that are due and in no batch. */
export const overduePages = (
  db: Sql,
  crawl: number,
  hosts: readonly string[],
): Promise<{ host: string; n: number }[]> =>
  rows<{ host: string; n: number }>(db)`
    select host, count(*)::float8 as n from webpage
     where crawl = ${crawl} and host = any (${hosts}::text[]) and generate_mark is null and fetch_time <= now()
     group by host`;

/** Numbers of a field over the pages (or visits) of a host. */
export interface NumberFacts {
  count: number;
  min: number;
  max: number;
  sum: number;
  /** In the order asked for. */
  percentiles: number[];
}

/** Numbers that a float8 can represent, in the forms of Java's `parseFloat`, which Nutch uses: a text beyond would fail the job. */
const NUMERIC = '^ *[+-]?([0-9]{1,40}([.][0-9]{0,40})?|[.][0-9]{1,40})([eE][+-]?[0-9]{1,2})? *$';

/** A number of each page, or of each visit on record; null where it has none. */
function numbersOf(field: string, crawl: number, hosts: readonly string[]): Fragment {
  const ofHosts = fragment`crawl = ${crawl} and host = any (${hosts}::text[])`;
  if (field === '_rs_') return fragment`select host, ms::float8 as v from fetch_history where ${ofHosts}`;
  if (field === 'score') return fragment`select host, score as v from webpage where ${ofHosts}`;
  if (field === 'fetchInterval')
    return fragment`select host, fetch_interval::float8 as v from webpage where ${ofHosts}`;
  return fragment`select host, case when metadata ->> ${field} ~ ${NUMERIC} then (metadata ->> ${field})::float8 end as v
                    from webpage where ${ofHosts}`;
}

/** @param percentiles from 0 to 100 */
export const numberFacts = (
  db: Sql,
  crawl: number,
  hosts: readonly string[],
  { field, percentiles }: { field: string; percentiles: readonly number[] },
): Promise<(NumberFacts & { host: string })[]> =>
  rows<NumberFacts & { host: string }>(db)`
    select host, count(*)::float8 as count, min(v) as min, max(v) as max, sum(v) as sum,
           percentile_cont(${percentiles.map((p) => p / 100)}::float8[]) within group (order by v) as percentiles
      from (${numbersOf(field, crawl, hosts)}) numbers where v is not null group by host`;

/** The most frequent texts of a field, with their counts. */
export function textCounts(
  db: Sql,
  crawl: number,
  hosts: readonly string[],
  { field, max }: { field: string; max: number },
): Promise<{ host: string; text: string; n: number }[]> {
  const column =
    field.toLowerCase() === 'content-type'
      ? fragment`content_type`
      : field === 'status'
        ? fragment`status::text`
        : fragment`metadata ->> ${field}`;
  return rows<{ host: string; text: string; n: number }>(db)`
    select host, text, n::float8 as n
      from (select host, text, count(*) as n, row_number() over (partition by host order by count(*) desc, text) as position
              from (select host, left(${column}, 200) as text from webpage
                     where crawl = ${crawl} and host = any (${hosts}::text[])) texts
             where text is not null group by host, text) counted
     where position <= ${max} order by host, position`;
}

/** The hosts that link to a host the most. */
export interface LinkFacts {
  host: string;
  links: number;
  hosts: number;
  /** Reversed. */
  top: string[];
  topCounts: number[];
}

/** The number of inlinks of each host, and the `max` hosts that link to it the most. */
export const linkFacts = (db: Sql, crawl: number, hosts: readonly string[], max: number): Promise<LinkFacts[]> =>
  rows<LinkFacts>(db)`
    select host, sum(n)::float8 as links, count(*)::float8 as hosts,
           array_agg(source order by position) filter (where position <= ${max}) as top,
           array_agg(n::float8 order by position) filter (where position <= ${max}) as "topCounts"
      from (select host, source, n, row_number() over (partition by host order by n desc, source) as position
              from (select host, split_part(source, ':', 1) as source, count(*) as n from inlink
                     where crawl = ${crawl} and host = any (${hosts}::text[]) group by 1, 2) sources) ranked
     group by host`;

/** The page at the root of each host, or its redirect: fetched pages first, https first. */
export const homePages = (
  db: Sql,
  crawl: number,
  hosts: readonly string[],
): Promise<{ host: string; key: string; target: string | null }[]> =>
  rows<{ host: string; key: string; target: string | null }>(db)`
    select distinct on (w.host) w.host, w.key, case when w.status in ${REDIRECTED} then w.redirect_url end as target
      from unnest(${crawlColumn(crawl, hosts.length)}, ${hosts}::text[]) as host_key (crawl, host)
     cross join (values ('https', 0), ('http', 1)) as tried (scheme, position)
      join webpage w on w.crawl = host_key.crawl and w.host = host_key.host and w.key = host_key.host || ':' || tried.scheme || '/'
       and w.key_hash = hashtextextended(host_key.host || ':' || tried.scheme || '/', 0)
     where (w.status in ${FETCHED} or w.status in ${REDIRECTED})
     order by w.host, w.status in ${REDIRECTED}, tried.position`;

/** The findings of a run about a host. */
export interface HostFindings {
  host: string;
  homepage: string | null;
  facts: Record<string, unknown>;
  /** Null: it was not looked up. */
  resolved: boolean | null;
}

/** Stores the findings. Hosts deleted meanwhile are not inserted again. */
export async function saveFindings(tx: Sql, crawl: number, findings: readonly HostFindings[]): Promise<void> {
  if (findings.length === 0) return;
  await tx.query(sql`
    with finding as (
      select * from ${rowList('finding', findings, {
        crawl: crawlColumn(crawl, findings.length),
        host: ['text', ({ host }) => host],
        homepage: ['text', ({ homepage }) => homepage],
        facts: ['jsonb', ({ facts }) => facts],
        resolved: ['bool', ({ resolved }) => resolved],
      })}
    ), locked as materialized (
      select h.host, now() as at from host h join finding on h.crawl = finding.crawl and h.host = finding.host order by h.host
       ${lockInOrder(fragment`h`)}
    )
    update host h
       set homepage = coalesce(finding.homepage, h.homepage), hostdb = finding.facts, hostdb_at = now(),
           dns_failures = case when finding.resolved then 0 when not finding.resolved then least(h.dns_failures + 1, 1000000) else h.dns_failures end,
           dns_checked_at = case when finding.resolved is null then h.dns_checked_at else locked.at end
      from finding join locked on locked.host = finding.host
     where h.crawl = finding.crawl and h.host = finding.host`);
}

/** Deletes hosts without pages that could not be resolved `threshold` times in a row. Returns how many. */
export const purgeFailed = (tx: Sql, crawl: number, hosts: readonly string[], threshold: number): Promise<number> =>
  count(tx)`
    delete from host
     where crawl = ${crawl} and host = any (${hosts}::text[]) and dns_failures >= ${threshold} and dns_failures > 0
       and ${hostPages} = 0
       -- Hosts with settings made by hand are kept.
       and not drain and num_nonnulls(delay_ms, min_delay_ms, threads, blocked_until) = 0`;

/** Merges metadata into that of hosts; unknown hosts are inserted. */
export async function injectHosts(tx: Sql, crawl: number, lines: readonly HostLine[]): Promise<void> {
  if (lines.length === 0) return;
  await tx.query(sql`
    insert into host (crawl, host, domain, metadata)
    select ${crawl}, line.* from ${rowList('line', lines, {
      host: ['text', ({ host }) => host],
      domain: ['text', ({ host }) => domainKeyOf(host)],
      metadata: ['jsonb', ({ metadata }) => metadata],
    })}
    on conflict (crawl, host) do update set metadata = coalesce(host.metadata, '{}'::jsonb) || excluded.metadata`);
}
