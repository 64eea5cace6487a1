/**
 * How seeds become pages. Existing pages are locked and read first, and merged in the program
 * (core/page/merge-injected.ts): there are three modes and the defaults of the configuration, and unchanged rows
 * are not written at all. The results are two sets, new rows and changed ones, and the counts of their hosts.
 */
import { lockInOrder } from '../../db/row-locks.js';
import { rowList } from '../../db/row-list.js';
import { type Fragment, type Sql, fragment, rows, sql } from '../../db/sql.js';
import { type MergedRecord, mergeInjected } from '../../core/page/merge-injected.js';
import { PAGE_STATUS, statusText } from '../../core/page/page-status.js';
import type { Conf } from '../../core/conf/properties.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import { recordSignatures } from '../../webpage/signature-due.store.js';
import { rankOf } from '../../webpage/rank.sql.js';
import type { Count, Trace } from '../step.js';
import { crawlColumn } from '../../webpage/crawl-column.sql.js';
import { lockPagesByHost } from '../../webpage/lock-pages.sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { keyOrder, pageRows, samePage, samePageAs } from '../../webpage/page-key.sql.js';

/**
 * The status that Nutch shows for a seed until it is merged with the table. Here that is one transaction, so no row ever has
 * it.
 */
export const INJECTED = '66 (injected)';

export type MergeMode = 'keep' | 'overwrite' | 'update';

/** A seed that passed the rules. Null: not set in the seed line, the default applies. */
export interface Injected {
  host: string;
  key: string;
  score: number | null;
  fetchInterval: number | null;
  /** A status set by hand. */
  status: number | null;
  metadata: Readonly<Record<string, string>>;
  /** `y`, or `s` for a sitemap. */
  mark: string;
}

interface Known {
  host: string;
  key: string;
  status: number;
  score: number;
  fetchInterval: number;
  metadata: Record<string, string> | null;
  signature: string | null;
  /** Its content before its present batch, if it was parsed there. */
  prevSignature: string | null;
}

interface MergeOptions {
  mode: MergeMode;
  defaults: Conf;
  count: Count;
  trace?: Trace | undefined;
}

/** The log line of a seed: its status before the merge, and the one after it. */
function tracedMerge(merge: MergedRecord['action'], seed: Injected, before: Known | undefined) {
  const newStatus = merge === 'keep' ? null : seed.status;
  const becomes = newStatus ?? (merge === 'replace' ? null : before?.status) ?? PAGE_STATUS.unfetched;
  return { status: INJECTED, merge, becomes: statusText(becomes) };
}

/** Merges seeds with existing pages: unchanged rows are not written. */
export async function mergeSeeds(tx: Sql, crawl: number, seeds: Injected[], options: MergeOptions): Promise<void> {
  const known = new Map((await lockKnown(tx, crawl, seeds)).map((page) => [page.key, page]));
  const rules = {
    'db.injector.overwrite': options.mode === 'overwrite',
    'db.injector.update': options.mode === 'update',
    'db.score.injected': options.defaults['db.score.injected'],
    'db.fetch.interval.default': options.defaults['db.fetch.interval.default'],
  };
  const groups: Record<'insert' | 'replace' | 'update' | 'keep', WrittenSeed[]> = {
    insert: [],
    replace: [],
    update: [],
    keep: [],
  };
  for (const seed of seeds) {
    const injected = {
      score: seed.score ?? rules['db.score.injected'],
      fetchInterval: seed.fetchInterval ?? rules['db.fetch.interval.default'],
      metadata: seed.metadata,
    };
    const before = known.get(seed.key);
    const { action, record } = mergeInjected(
      before ? { ...before, metadata: before.metadata ?? {} } : null,
      injected,
      rules,
    );
    groups[action].push({ ...seed, ...record, lineMetadata: seed.metadata });
    options.trace?.(seed.key, { ...tracedMerge(action, seed, before), score: record.score });
  }
  const added = await putSeeds(tx, crawl, groups.insert, keepKnown);
  await putSeeds(tx, crawl, groups.replace, replaceKnown);
  await updateSeeds(tx, crawl, groups.update);
  const deltas = new StatusDeltas();
  for (const page of added) deltas.move(page.host, null, page.status);
  for (const page of groups.replace)
    deltas.move(page.host, known.get(page.key)!.status, page.status ?? PAGE_STATUS.unfetched);
  for (const page of groups.update) {
    const { status } = known.get(page.key)!;
    deltas.move(page.host, status, page.status ?? status);
  }
  const changed = [...groups.replace, ...groups.update.filter(({ status }) => status !== null)];
  await recordSignatures(
    tx,
    crawl,
    changed.flatMap(({ key }) => contentsOf(known.get(key)!)),
  );
  await addStatusDeltas(tx, crawl, deltas);
  for (const [action, pages] of Object.entries(groups))
    if (pages.length > 0) options.count('injector_merge', action, pages.length);
}

/** UPDATEDB would record both, but may not have processed the page yet. */
const contentsOf = ({ host, signature, prevSignature }: Known) =>
  [signature, prevSignature].map((hash) => ({ host, signature: hash }));

/** `lineMetadata`: the metadata of the seed line alone. */
type WrittenSeed = Injected & { score: number; fetchInterval: number; lineMetadata: Injected['metadata'] };

const seedRows = (crawl: number, pages: WrittenSeed[]): Fragment =>
  rowList('seed', pages, {
    crawl: crawlColumn(crawl, pages.length),
    host: ['text', ({ host }) => host],
    key: ['text', ({ key }) => key],
    score: ['float8', ({ score }) => score],
    fetch_interval: ['int', ({ fetchInterval }) => fetchInterval],
    metadata: ['jsonb', ({ metadata }) => metadata],
    mark: ['text', ({ mark }) => mark],
    status: ['int', ({ status }) => status],
    line_metadata: ['jsonb', ({ lineMetadata }) => lineMetadata],
  });

/** The seeds that are pages already, locked in the order of the primary key. */
async function lockKnown(tx: Sql, crawl: number, seeds: Injected[]): Promise<Known[]> {
  await lockPagesByHost(tx, crawl, seeds);
  return rows<Known>(tx)`
    select w.host, w.key, w.status, w.score, w.fetch_interval as "fetchInterval", w.metadata, w.signature,
           w.prev_signature as "prevSignature"
      from webpage w
      join ${pageRows(crawl, seeds)} on ${samePage}
     order by w.host, w.key_hash ${lockInOrder(fragment`w`)}`;
}

/** A page that a link has added meanwhile stays. */
const keepKnown = fragment`do nothing`;
/**
 * A page in a batch stays in it, to be fetched: what was fetched and parsed is the former page. It will then distribute
 * its new cash, as if it had been generated with it. A running visit or parse notices that it has lost its page.
 */
const replaceKnown = fragment`do update
  set status = excluded.status, fetch_time = excluded.fetch_time, fetch_interval = excluded.fetch_interval, score = excluded.score,
      cash = case when webpage.generate_mark is null then excluded.cash else 0 end,
      spend = case when webpage.generate_mark is not null then excluded.cash end,
      spend_distance = case when webpage.generate_mark is not null then 0 end,
      inject_mark = excluded.inject_mark, metadata = excluded.metadata, parse_metadata = null,
      source_kind = excluded.source_kind, distance = 0, retries_since_fetch = 0, modified_time = null,
      prev_modified_time = null, signature = null, prev_signature = null, fetch_mark = null, parse_mark = null,
      prev_fetch_time = null, etag = null, last_modified = null, parse_major = null, parse_minor = null, parse_args = null,
      last_inlink = null, content_score = null,
      rank = case when webpage.generate_mark is null then excluded.rank end
  where webpage.key = excluded.key`;

/** Writes seeds as new unfetched pages, due now. Returns the host and status of each page written. */
async function putSeeds(
  tx: Sql,
  crawl: number,
  pages: WrittenSeed[],
  known: Fragment,
): Promise<{ host: string; status: number }[]> {
  if (pages.length === 0) return [];
  return rows<{ host: string; status: number }>(tx)`
    insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, rank, inject_mark, metadata, source_kind)
    select crawl, host, key, coalesce(status, ${statusOf('unfetched')}), now(), fetch_interval, score, score, ${rankOf(fragment`score`)}, mark,
           nullif(metadata, '{}'::jsonb), 'seed'
      from ${seedRows(crawl, pages)} order by ${keyOrder}
    on conflict (crawl, host, key_hash) ${known}
    returning host, status`;
}

/**
 * Gives known pages the score, interval and metadata of their seeds, and the status if one is given; they are seeds now,
 * at distance 0, also for what they distribute in their present batch. All else stays. A new score contains no
 * part for the content.
 */
async function updateSeeds(tx: Sql, crawl: number, pages: WrittenSeed[]): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(sql`
    update webpage w
       set score = seed.score, content_score = case when seed.score = w.score then w.content_score end,
           fetch_interval = seed.fetch_interval, metadata = nullif(seed.metadata, '{}'::jsonb),
           -- What the seed sets is no longer of the parse.
           parse_metadata = nullif(array(select name from unnest(w.parse_metadata) as name where not seed.line_metadata ? name), '{}'),
           distance = 0, spend_distance = case when w.generate_mark is not null then 0 end,
           inject_mark = seed.mark, status = coalesce(seed.status, w.status), rank = case when w.rank is not null then ${rankOf(fragment`seed.score`)} end
      from ${seedRows(crawl, pages)}
     where ${samePageAs('seed')}`);
}
