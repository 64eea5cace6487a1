/** Writes the entries of sitemaps to the page table, set by set, in the order of the primary key. */
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { SITEMAP_KEYS } from '../../core/schedule/sitemap-hints.js';
import { rowList } from '../../db/row-list.js';
import { type Fragment, type Sql, count as affected, fragment, row, rows, sql } from '../../db/sql.js';
import { lockInOrder } from '../../db/row-locks.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import { rankOf } from '../../webpage/rank.sql.js';
import { visitsBeforePurge } from '../purged-pages.sql.js';
import type { EntryRow } from './entry-rows.js';
import { crawlColumn } from '../../webpage/crawl-column.sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { keyOrder, pageRows, samePage, samePageAs } from '../../webpage/page-key.sql.js';

const entryRows = (crawl: number, pages: readonly EntryRow[]): Fragment =>
  rowList('entry', pages, {
    crawl: crawlColumn(crawl, pages.length),
    host: ['text', ({ host }) => host],
    key: ['text', ({ key }) => key],
    score: ['float8', ({ score }) => score],
    fetch_interval: ['int', ({ fetchInterval }) => fetchInterval],
    modified_time: ['timestamptz', ({ modifiedTime }) => modifiedTime],
    metadata: ['jsonb', ({ metadata }) => metadata],
  });

/** A time before the last fetch of a page, if its visits are not kept any more; null: it was never fetched. */
const beforeFetch = fragment`case when w.prev_fetch_time is not null
  then greatest(w.prev_fetch_time, w.fetch_time - make_interval(secs => w.fetch_interval)) end`;

/** Whether an entry declares a change of its page after the last fetch; null: it was never fetched. */
const changedSince = fragment`entry.modified_time > coalesce((
  select max(visit.time) from fetch_history visit where visit.crawl = w.crawl and visit.host = w.host and visit.key = w.key),
  ${beforeFetch})`;

export interface EntriesWritten {
  /** Pages that are new to the crawl, due now. */
  added: number;
  /** Known pages whose hints, or whose score and interval, have changed. */
  updated: number;
}

/**
 * Inserts unfetched pages for entries. For known pages the hints are stored, for the schedule to read, and a page that has
 * changed after its last fetch is due (a future date does not count); with `overwrite` they also get its score, interval and
 * modified time (`sitemap.url.overwrite.existing`). A row is written only if something differs.
 */
export async function putEntries(
  tx: Sql,
  crawl: number,
  pages: readonly EntryRow[],
  overwrite: boolean,
): Promise<EntriesWritten> {
  if (pages.length === 0) return { added: 0, updated: 0 };
  // Known pages, new ones, hosts: the order in which all transactions write. A page that a link adds in between has no hints,
  // and is due.
  const updated = await updateKnown(tx, crawl, pages, overwrite);
  const added = await rows<{ host: string }>(tx)`
    insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, rank, modified_time, metadata, source_kind)
    select crawl, host, key, ${statusOf('unfetched')}, now(), fetch_interval, score, score, ${rankOf(fragment`score`)}, modified_time,
           nullif(metadata, '{}'::jsonb), 'sitemap'
      from ${entryRows(crawl, pages)} order by ${keyOrder}
    on conflict (crawl, host, key_hash) do nothing
    returning host`;
  const deltas = new StatusDeltas();
  for (const { host } of added) deltas.move(host, null, PAGE_STATUS.unfetched);
  await addStatusDeltas(tx, crawl, deltas);
  return { added: added.length, updated };
}

/** Gives known pages the hints of their entries; with `overwrite` also score and fetch interval. @returns pages changed */
async function updateKnown(tx: Sql, crawl: number, pages: readonly EntryRow[], overwrite: boolean): Promise<number> {
  const also = overwrite
    ? fragment`, score = locked.score, content_score = null, fetch_interval = locked.fetch_interval,
                 modified_time = coalesce(locked.modified_time, w.modified_time),
                 rank = case when w.rank is not null then ${rankOf(fragment`locked.score`)} end`
    : fragment``;
  const differs = overwrite
    ? fragment`or (w.score, w.fetch_interval) is distinct from (entry.score, entry.fetch_interval)
               or w.modified_time is distinct from coalesce(entry.modified_time, w.modified_time)`
    : fragment``;
  // Also if the hints are known: when they were stored, its batch may have been open, or the date in the future.
  const missed = fragment`(w.generate_mark is null and w.fetch_time > now() and ${changedSince})`;
  return affected(
    tx,
    sql`
    with locked as materialized (
      select now() as at, w.crawl, w.host, w.key, entry.score, entry.fetch_interval, entry.modified_time, entry.metadata,
             coalesce(${missed}, false) as missed
        from ${entryRows(crawl, pages)} join webpage w on ${samePageAs('entry')}
       where not coalesce(w.metadata, '{}'::jsonb) @> entry.metadata or ${missed} ${differs}
       order by w.host, w.key_hash ${lockInOrder(fragment`w`)})
    update webpage w
       set metadata = nullif(coalesce(w.metadata, '{}'::jsonb) || locked.metadata, '{}'::jsonb),
           fetch_time = case when locked.missed then locked.at else w.fetch_time end ${also}
      from locked where ${samePageAs('locked')}`,
  );
}

/**
 * Whether an entry will take effect that has none now: its date is in the future, or its page was fetched before it and is
 * still in a batch, which sets the time when it is closed. Called before entries are put: so it still sees a batch that is
 * closed in between.
 */
export async function haveToWait(tx: Sql, crawl: number, pages: readonly EntryRow[]): Promise<boolean> {
  if (pages.some(({ modifiedTime, metadata }) => modifiedTime === null && metadata[SITEMAP_KEYS.lastmod])) return true;
  const dated = pages.filter(({ modifiedTime }) => modifiedTime !== null);
  if (dated.length === 0) return false;
  // Not as a condition, for which the index of batches would be used: it would read the pages of all of them.
  const verdict = await row<{ wait: boolean | null }>(tx)`
    select bool_or(w.generate_mark is not null and ${changedSince}) as wait
      from ${entryRows(crawl, dated)} join webpage w on ${samePageAs('entry')}`;
  return verdict?.wait === true;
}

/** Keys of the entries whose pages were purged (`db.update.purge.404`), and that declare no change after the last visit. */
export async function purgedAmong(
  tx: Sql,
  crawl: number,
  entries: readonly EntryRow[],
  since: Date,
): Promise<Set<string>> {
  const purged = await rows<{ key: string }>(tx)`
    with named_page as materialized (select * from ${entryRows(crawl, entries)}
    ), known as materialized (
      select w.host, w.key from named_page join webpage w on ${samePageAs('named_page')}
    ), gone as materialized (${visitsBeforePurge(since)})
    select named_page.key from named_page join gone using (host, key) left join known using (host, key)
     where known.key is null and (named_page.modified_time > gone.time) is not true`;
  return new Set(purged.map(({ key }) => key));
}

/** Those of the entries that are pages of the crawl. */
export async function knownKeys(tx: Sql, crawl: number, entries: readonly EntryRow[]): Promise<Set<string>> {
  const known = await rows<{ key: string }>(tx)`
    select w.key from ${pageRows(crawl, entries)} join webpage w on ${samePage}`;
  return new Set(known.map(({ key }) => key));
}
