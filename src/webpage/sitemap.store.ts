/**
 * The sitemaps that a crawl knows: their URLs, the jobs that read them, and the results.
 *
 * The table is both the record and the work list of a SITEMAP job: a row with `wanted_by` is still to be read by that job,
 * one with `done_by` was read by it and is not read again, however many indexes name it.
 */
import type { SitemapSource, WantedSitemap } from '../core/sitemap/sitemap-rules.js';
import { hostKeyOf, reverseUrl } from '../core/url/row-key.js';
import { rowList } from '../db/row-list.js';
import { type Sql, count, fragment, rows, sql, storable } from '../db/sql.js';

/** A sitemap to read, with the results of the last time. */
export interface SitemapWork extends WantedSitemap {
  /** Entries written by an attempt that did not finish. */
  position: number;
  etag: string | null;
  lastModified: string | null;
}

export interface SitemapState {
  url: string;
  source: SitemapSource;
  /** `fetched`, `not_modified`, `gone`, `robots_denied`, `not_a_sitemap`, `failed`; null: not read yet. */
  status: string | null;
  httpStatus: number | null;
  entries: number | null;
  error: string | null;
  fetchedAt: Date | null;
}

/** Vouched for by its own origin. */
const ownOld = fragment`coalesce(starts_with(sitemap.url, sitemap.vouched_by || '/'), false)`;
const ownNew = fragment`coalesce(starts_with(excluded.url, excluded.vouched_by || '/'), false)`;
/** Its own origin vouches for it for the first time: more of it may be read, even if it was denied. Once for each sitemap. */
const vouchedAnew = fragment`(${ownNew} and not (${ownOld} and (sitemap.source = 'robots' or excluded.source <> 'robots')))`;
/** What its own origin declares, other origins do not change. */
const keptOwn = fragment`(${ownOld} and not ${ownNew})`;

/**
 * Puts sitemaps on the list of a job, each once; those that it has read already are left out, unless their own origin vouches for
 * them only now: the first one to name a sitemap must not decide which of its entries count.
 * @param job null: they are only recorded, for the next job
 * @returns how many are new on the list
 */
export async function wantSitemaps(
  tx: Sql,
  crawl: number,
  job: string | null,
  sitemaps: readonly WantedSitemap[],
): Promise<number> {
  if (sitemaps.length === 0) return 0;
  return count(tx)`
    insert into sitemap (crawl, host, url, source, found_in, vouched_by, depth, wanted_by)
    select distinct on (s.host collate "C", s.url collate "C") ${crawl}, s.host, s.url, s.source, s.found_in, s.vouched_by, s.depth, ${job}
      from ${rowList('s', sitemaps, {
        host: ['text', ({ host }) => host],
        url: ['text', ({ url }) => url],
        source: ['text', ({ source }) => source],
        found_in: ['text', ({ foundIn }) => foundIn],
        vouched_by: ['text', ({ vouchedBy }) => vouchedBy],
        depth: ['int', ({ depth }) => depth],
      })}
     order by s.host collate "C", s.url collate "C"
    on conflict (crawl, host, url) do update
       set wanted_by = excluded.wanted_by, position = 0,
           depth = case when ${keptOwn} then least(sitemap.depth, excluded.depth) else excluded.depth end,
           found_in = case when ${keptOwn} then sitemap.found_in else coalesce(excluded.found_in, sitemap.found_in) end,
           vouched_by = case when ${keptOwn} then sitemap.vouched_by else coalesce(excluded.vouched_by, sitemap.vouched_by) end,
           source = case when ${vouchedAnew} then excluded.source
                         when ${keptOwn} or sitemap.source = 'robots' then sitemap.source else excluded.source end,
           etag = case when not ${vouchedAnew} then sitemap.etag end,
           last_modified = case when not ${vouchedAnew} then sitemap.last_modified end
     where excluded.wanted_by is not null
       and (${vouchedAnew} or (sitemap.done_by is distinct from excluded.wanted_by
                               and sitemap.wanted_by is distinct from excluded.wanted_by))`;
}

/** Named by an index, and not there when it was requested last: sites name sitemaps by their day, and remove the old ones. */
const lost = fragment`(source = 'index' and status in ('gone', 'not_a_sitemap'))`;

/**
 * Puts every sitemap that the crawl knows on the list of a job, but for lost ones: an index that still names them does that. The
 * rest of the lists of other jobs is removed.
 */
export async function wantAllSitemaps(tx: Sql, crawl: number, job: string): Promise<number> {
  await tx.query(
    sql`delete from sitemap where crawl = ${crawl} and source = 'host' and wanted_by is distinct from ${job}`,
  );
  return count(tx)`
    update sitemap set wanted_by = ${job}, position = 0
     where crawl = ${crawl} and source <> 'host' and not coalesce(${lost}, false)
       and wanted_by is distinct from ${job} and done_by is distinct from ${job}`;
}

/** Deletes the lost sitemaps that an index has named on its own host, and names no more. */
export async function forgetLost(
  tx: Sql,
  crawl: number,
  { host, url }: Pick<WantedSitemap, 'host' | 'url'>,
  named: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from sitemap
     where crawl = ${crawl} and host = ${host} and found_in = ${url} and ${lost} and url <> all (${[...named]}::text[])`);
}

/** Puts the sitemaps that an index named on the list again: the index has not changed. */
export const wantNamedBy = (tx: Sql, crawl: number, job: string, index: string): Promise<number> =>
  count(tx)`
    update sitemap set wanted_by = ${job}, position = 0
     where crawl = ${crawl} and found_in = ${index} and wanted_by is distinct from ${job} and done_by is distinct from ${job}`;

/** What has named some sitemaps until now, where something else names them here; null for those that were given by themselves. */
export async function otherNamers(
  db: Sql,
  crawl: number,
  sitemaps: readonly WantedSitemap[],
): Promise<(string | null)[]> {
  if (sitemaps.length === 0) return [];
  const namers = await rows<{ foundIn: string | null }>(db)`
    select distinct s.found_in as "foundIn"
      from ${rowList('named', sitemaps, {
        host: ['text', ({ host }) => host],
        url: ['text', ({ url }) => url],
        found_in: ['text', ({ foundIn }) => foundIn],
      })}
      join sitemap s on s.crawl = ${crawl} and s.host = named.host and s.url = named.url
     where s.found_in is distinct from named.found_in`;
  return namers.map(({ foundIn }) => foundIn);
}

/** Removes the validators of some sitemaps, so that they are read as a whole the next time. */
export async function forgetSitemapValidators(tx: Sql, crawl: number, urls: readonly string[]): Promise<void> {
  if (urls.length === 0) return;
  await tx.query(sql`
    update sitemap s set etag = null, last_modified = null
      from ${rowList('known', urls, { host: ['text', (url) => hostKeyOf(reverseUrl(url))], url: ['text', (url) => url] })}
     where s.crawl = ${crawl} and s.host = known.host and s.url = known.url`);
}

/** Hosts with sitemaps on the list of a job, in key order, without those named. */
export async function hostsToRead(
  db: Sql,
  crawl: number,
  job: string,
  { without, limit }: { without: readonly string[]; limit: number },
): Promise<string[]> {
  const hosts = await rows<{ host: string }>(db)`
    select distinct host from sitemap
     where crawl = ${crawl} and wanted_by = ${job} and host <> all (${without}::text[]) order by host limit ${limit}`;
  return hosts.map(({ host }) => host);
}

/** The rows of a host that a job still has to read, from the top of indexes down; robots.txt first, as it vouches for others. */
export async function workOfHost(
  db: Sql,
  crawl: number,
  job: string,
  { host, limit }: { host: string; limit: number },
): Promise<SitemapWork[]> {
  const work = await rows<SitemapWork>(db)`
    select host, url, source, found_in as "foundIn", vouched_by as "vouchedBy", depth, position, etag,
           last_modified as "lastModified"
      from sitemap where crawl = ${crawl} and wanted_by = ${job} and host = ${host}
     order by source <> 'host', depth, url limit ${limit}`;
  const robots = work.filter(({ source }) => source === 'host');
  return robots.length > 0 ? robots : work;
}

/** How many sitemaps of some hosts are known. */
export async function sitemapCounts(db: Sql, crawl: number, hosts: readonly string[]): Promise<Map<string, number>> {
  const counts = await rows<{ host: string; n: number }>(db)`
    select host, count(*)::int as n from sitemap where crawl = ${crawl} and host = any (${hosts}::text[]) group by host`;
  return new Map(counts.map(({ host, n }) => [host, n]));
}

/** The list of a job: sitemaps that it is to read, and those that it has read. */
interface SitemapList {
  crawl: number;
  job: string;
}

/** How many sitemaps a job has on its list or has read, by host; rows of `hostDir` do not count. */
export async function followedCounts(db: Sql, { crawl, job }: SitemapList): Promise<Map<string, number>> {
  const counts = await rows<{ host: string; n: number }>(db)`
    select host, count(*)::int as n from sitemap
     where crawl = ${crawl} and source <> 'host' and (wanted_by = ${job} or done_by = ${job}) group by host`;
  return new Map(counts.map(({ host, n }) => [host, n]));
}

/** Those of some sitemaps that a job has on its list or has read. */
export async function followedOf(
  db: Sql,
  { crawl, job }: SitemapList,
  sitemaps: readonly WantedSitemap[],
): Promise<Set<string>> {
  const followed = await rows<{ url: string }>(db)`
    select s.url from ${rowList('named', sitemaps, { host: ['text', ({ host }) => host], url: ['text', ({ url }) => url] })}
      join sitemap s on s.crawl = ${crawl} and s.host = named.host and s.url = named.url
     where s.wanted_by = ${job} or s.done_by = ${job}`;
  return new Set(followed.map(({ url }) => url));
}

export interface SitemapResult {
  status: string;
  httpStatus: number | null;
  /** Null: as before. */
  entries: number | null;
  error: string | null;
  etag: string | null;
  lastModified: string | null;
}

/** Takes a sitemap off the list of its job, unless its own origin has vouched for it while it was read: then it is read again. */
export async function endSitemap(
  tx: Sql,
  crawl: number,
  job: string,
  { work: { host, url, source, vouchedBy }, result }: { work: SitemapWork; result: SitemapResult },
): Promise<void> {
  // Texts of servers and of their robots.txt.
  const words = (text: string | null) => (text === null ? null : storable(text));
  const asRead = fragment`(source = ${source} and vouched_by is not distinct from ${vouchedBy})`;
  await tx.query(sql`
    update sitemap
       set wanted_by = case when not ${asRead} then wanted_by end, done_by = case when ${asRead} then ${job} else done_by end,
           position = 0, fetched_at = now(), status = ${result.status}, http_status = ${result.httpStatus},
           entries = coalesce(${result.entries}, entries), error = ${words(result.error)},
           etag = case when ${asRead} then ${words(result.etag)} end,
           last_modified = case when ${asRead} then ${words(result.lastModified)} end
     where crawl = ${crawl} and host = ${host} and url = ${url}`);
}

/** Stores how many entries of a sitemap have been written. */
export async function storePosition(
  tx: Sql,
  crawl: number,
  { host, url }: WantedSitemap,
  position: number,
): Promise<void> {
  await tx.query(
    sql`update sitemap set position = ${position} where crawl = ${crawl} and host = ${host} and url = ${url}`,
  );
}

/** The robots.txt of an origin was read for sitemaps. */
export async function dropHostWork(tx: Sql, crawl: number, { host, url }: WantedSitemap): Promise<void> {
  await tx.query(
    sql`delete from sitemap where crawl = ${crawl} and host = ${host} and url = ${url} and source = 'host'`,
  );
}

/** Takes all sitemaps of a host off the list of a job: it cannot be reached. Returns how many. */
export const giveUpHost = (
  tx: Sql,
  crawl: number,
  job: string,
  { host, error }: { host: string; error: string },
): Promise<number> =>
  count(tx)`
    update sitemap set wanted_by = null, done_by = ${job}, error = ${storable(error)}, status = coalesce(status, 'failed')
     where crawl = ${crawl} and wanted_by = ${job} and host = ${host}`;

/** The sitemaps of a host, those read last first. */
export const sitemapsOfHost = (db: Sql, crawl: number, host: string, limit: number): Promise<SitemapState[]> =>
  rows<SitemapState>(db)`
    select url, source, status, http_status as "httpStatus", entries, error, fetched_at as "fetchedAt"
      from sitemap where crawl = ${crawl} and host = ${host} and source <> 'host'
     order by fetched_at desc nulls last, url limit ${limit}`;
