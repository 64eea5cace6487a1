import { PROTOCOL_STATUS } from '../../core/page/protocol-status.js';
import { SITEMAP_KEYS } from '../../core/schedule/sitemap-hints.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { RANK_SLACK, rankOf } from '../../webpage/rank.js';
import { FETCH_SIGNATURE } from './fetch-signature.js';
import type { Rewrites } from './judge-links.js';
import { type Place, batchWindow, placeColumns, queueShare } from '../batch.js';
import { linksOf, putInlinks, worthCapping } from '../inlinks.sql.js';

type Fragment = ReturnType<typeof fragment>;

/** A page of the batch, as UPDATEDB reads it. Times as Date. */
export interface Source {
  host: string;
  key: string;
  mark: string;
  hash: number;
  status: number;
  fetched: boolean;
  parsed: boolean;
  parseFailed: boolean;
  /** PARSE found a meta refresh: the one outlink is a redirect. */
  refresh: boolean;
  fetchTime: Date;
  prevFetchTime: Date | null;
  fetchInterval: number;
  retries: number;
  modifiedTime: Date | null;
  prevModifiedTime: Date | null;
  lastModified: Date | null;
  signature: string | null;
  prevSignature: string | null;
  fixedInterval: string | null;
  /** Its last protocol status is RETRY: nobody was asked for it. */
  unasked: boolean;
  contentType: string | null;
  /** Made by FETCH, where it was asked to. */
  fetchSignature: string | null;
  /** What the sitemap of the site said, as written. */
  changefreq: string | null;
  spend: number;
  /** Frozen when the page was generated. */
  distance: number;
  /** Outlinks to hand the spend to: those found now, not those of an earlier visit. */
  outlinks: number;
  /** Only where a scoring filter looks at pages. */
  metadata?: Record<string, string> | null;
  headers?: Record<string, string> | null;
  contentScore?: number | null;
}

const pageColumns = fragment`, w.metadata, p.headers, w.content_score as "contentScore"`;

const sourceColumns = fragment`${placeColumns}, w.host, w.status, w.fetch_mark is not null as fetched, w.parse_mark is not null as parsed,
  coalesce(w.parse_major, 0) = 2 as "parseFailed", coalesce(w.parse_minor, 0) = 100 as refresh, w.fetch_time as "fetchTime", w.prev_fetch_time as "prevFetchTime",
  w.fetch_interval as "fetchInterval", w.retries_since_fetch as retries, w.modified_time as "modifiedTime",
  w.prev_modified_time as "prevModifiedTime", w.last_modified as "lastModified", w.signature, w.prev_signature as "prevSignature",
  w.metadata ->> 'fixedInterval' as "fixedInterval", w.protocol_code is not distinct from ${PROTOCOL_STATUS.RETRY} as unasked, w.content_type as "contentType", w.metadata ->> ${FETCH_SIGNATURE} as "fetchSignature",
  w.metadata ->> ${SITEMAP_KEYS.changefreq} as changefreq, coalesce(w.spend, 0) as spend, coalesce(w.spend_distance, w.distance) as distance`;

/** Keys of the next pages of a part of the batch. */
export function nextSources(
  db: Sql,
  q: { crawl: number; batch: string; part: number; parts: number; limit: number },
  after: Place | undefined,
): Promise<{ host: string; key: string; mark: string; hash: number }[]> {
  const window = batchWindow(q.batch, after);
  return rows(
    db,
    sql`
    select ${placeColumns}, w.host from webpage w
     where w.crawl = ${q.crawl} and ${window.where} and ${queueShare(q.part, q.parts)}
     order by ${window.order} limit ${q.limit}`,
  );
}

/**
 * Reads pages of the batch; those that left it meanwhile are missing. Their rows are locked later, together with the
 * targets. The comparison of the marks keeps the index of batches out, as in `holdPages`.
 */
export function readSources(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; mark: string }[],
  { wide }: { wide: boolean } = { wide: false },
): Promise<Source[]> {
  return rows<Source>(
    tx,
    sql`
    select ${sourceColumns},
           -- The links of an earlier visit do not count: a redirect that this batch has not fetched keeps its cash.
           case when w.fetch_mark is not null and (w.status in (4, 5) or w.parse_mark is not null)
                then coalesce(cardinality(p.outlink_keys), 0) else 0 end as outlinks
           ${wide ? pageColumns : fragment``}
      from webpage w
      join unnest(${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[], ${pages.map((p) => p.mark)}::text[])
           as page (host, key, mark)
        on w.crawl = ${crawl} and w.host = page.host and w.key = page.key and w.generate_mark is not distinct from page.mark
      left join page_content p on p.crawl = w.crawl and p.host = w.host and p.key = w.key
     order by w.host, w.key`,
  );
}

/** What a page hands to each of its outlinks. */
export interface Payer {
  host: string;
  key: string;
  internalShare: number;
  externalShare: number;
  distance: number;
  kind: 'link' | 'redirect';
  /** What a page that it is the first to link to starts with besides its share. */
  start?: number;
  /** Metadata for such a page. */
  carried?: Readonly<Record<string, string>>;
}

export interface LinkOptions {
  crawl: number;
  /** New URLs may come into the table (`db.update.additions.allowed`). */
  additions: boolean;
  /** Seconds until a new page is fetched again. */
  interval: number;
  /** Links inside a host make no inlinks (`db.ignore.internal.links`). */
  ignoreInternal: boolean;
  /** Inlinks kept of a page; the best-scored stay (`db.update.max.inlinks`). */
  maxInlinks: number;
  /** Links that lead elsewhere, or nowhere, by the URL rules of now. */
  rewrites?: Rewrites;
  /** Links that lead to no row bring none where the page was fetched since then and found gone: it was purged. */
  purgedSince?: Date;
  /** New pages may start with more than their share, and with metadata. */
  endows?: boolean;
  /** Note when pages were last linked to. */
  dated?: boolean;
  /** Note what pages hand out. */
  history?: boolean;
}

export interface LinkEffects {
  /** New pages by host. */
  added: { host: string; n: number }[];
  /** Pages that got inlinks now. */
  linked: { host: string; key: string }[];
}

/**
 * Closes a window of pages in one statement: the shares go to the targets of their outlinks, aggregated by target, and
 * the pages themselves get their new states and lose their marks. A known target gets score, cash and perhaps a shorter
 * distance, and keeps its status; a new one is due now. A rank, and so the index, moves only when the score has moved by
 * more than a third.
 *
 * Sources and targets are rows of one upsert in key order, so parts of a job that link to each other's pages cannot
 * deadlock. `spend_distance` of the proposed row tells the two apart: only the window's own pages carry it.
 *
 * Rejected for speed: an upsert per source page (four times the row versions), and reading the links into the server
 * process to aggregate them there (the links travel twice).
 */
export async function closeWindow(tx: Sql, payers: Payer[], own: Settled[], o: LinkOptions): Promise<LinkEffects> {
  const found = await rows<{ kind: string; host: string; key: string; n: number }>(
    tx,
    sql`
    with source as (
      select * from ${payerRows(payers)}
    ), own as (
      select * from ${settledRows(own)}
    ), link as materialized (
      select split_part(l.key, ':', 1) collate "C" as host, l.key collate "C" as key, s.host as source_host, s.key as source,
             l.anchor, s.kind, s.distance, ${o.endows ? fragment`s.start, s.carried,` : fragment``}
             case when split_part(l.key, ':', 1) = s.host then s.internal else s.external end as share
        from source s
        join page_content p on p.crawl = ${o.crawl} and p.host = s.host and p.key = s.key
       cross join lateral ${linksOf(o.rewrites)} as l (key, anchor)
    ), target as (
      select host, key, sum(share) as share, min(distance) + 1 as distance, min(kind) as kind
             ${o.endows ? endowment : fragment``}
        from link group by host, key
    ), proposed as (
      select coalesce(t.host, own.host) as host, coalesce(t.key, own.key) as key, coalesce(t.share, 0) as share, t.distance, t.kind,
             own.status, own.fetch_time, own.prev_fetch_time, own.fetch_interval, own.retries, own.modified_time,
             own.prev_modified_time, own.given_back, own.unconditional, t.key is not null as linked
             ${o.endows ? fragment`, t.start, t.carried` : fragment``}
        from target t full join own on own.host = t.host and own.key = t.key
       ${o.additions && o.purgedSince === undefined ? fragment`` : fragment`where own.key is not null or ${mayEnter(o, fragment`t`)}`}
    ), put as (
      ${upsertProposed(o)}
    ), inlinked as (
      ${putInlinks({
        crawl: o.crawl,
        maxInlinks: o.maxInlinks,
        wanted: fragment`(not ${o.ignoreInternal} or host <> source_host) and ${o.additions && o.purgedSince === undefined ? fragment`true` : mayEnter(o, fragment`link`)}`,
        merge: fragment`set anchor = excluded.anchor, score = excluded.score`,
      })}
      returning host, key, source
    )
    select 'added' as kind, host, '' as key, count(*)::int as n from put where added group by host
     union all
    select distinct 'linked', host, key, 0 from inlinked where ${worthCapping(o.maxInlinks)}`,
  );
  return {
    added: found.filter(({ kind }) => kind === 'added').map(({ host, n }) => ({ host, n })),
    linked: found.filter(({ kind }) => kind === 'linked').map(({ host, key }) => ({ host, key })),
  };
}

const payerRows = (payers: Payer[]) => fragment`unnest(
  ${payers.map((p) => p.host)}::text[], ${payers.map((p) => p.key)}::text[], ${payers.map((p) => p.internalShare)}::float8[],
  ${payers.map((p) => p.externalShare)}::float8[], ${payers.map((p) => p.distance)}::int[], ${payers.map((p) => p.kind)}::text[],
  ${payers.map((p) => p.start ?? 0)}::float8[], ${payers.map((p) => JSON.stringify(p.carried ?? {}))}::jsonb[])
  as s (host, key, internal, external, distance, kind, start, carried)`;

const settledRows = (own: Settled[]) => {
  const of = <T>(value: (page: Settled) => T): T[] => own.map(value);
  const time = (value: (page: Settled) => number): (Date | null)[] =>
    own.map((page) => (value(page) > 0 ? new Date(value(page)) : null));
  return fragment`unnest(
    ${of((p) => p.host)}::text[], ${of((p) => p.key)}::text[], ${of((p) => p.status)}::int[], ${time((p) => p.fetchTime)}::timestamptz[],
    ${time((p) => p.prevFetchTime)}::timestamptz[], ${of((p) => p.fetchInterval)}::int[], ${of((p) => p.retries)}::int[],
    ${time((p) => p.modifiedTime)}::timestamptz[], ${time((p) => p.prevModifiedTime)}::timestamptz[],
    ${of((p) => p.givenBack)}::float8[], ${of((p) => p.unconditional)}::bool[])
    as own (host, key, status, fetch_time, prev_fetch_time, fetch_interval, retries, modified_time, prev_modified_time,
            given_back, unconditional)`;
};

/** Of several linking pages the nearest to a seed gives its metadata. */
const endowment = fragment`, max(start) as start,
             (array_agg(carried order by distance, source) filter (where carried <> '{}'::jsonb))[1] as carried`;

/** Known pages may be linked to; new ones where there may be additions, save those that were purged. */
function mayEnter({ crawl, additions, purgedSince }: LinkOptions, target: Fragment): Fragment {
  const known = fragment`exists (select from webpage w where w.crawl = ${crawl} and w.host = ${target}.host and w.key = ${target}.key)`;
  if (!additions || purgedSince === undefined) return additions ? fragment`true` : known;
  return fragment`(${known} or not exists (
          select from fetch_history h
           where h.crawl = ${crawl} and h.host = ${target}.host and h.key = ${target}.key and h.status in (3, 34)
             and h.time >= ${purgedSince}::timestamptz))`;
}

const isOwn = fragment`excluded.spend_distance is not null`;
/** Proposed text that means: forget signature and validators. */
const FORGET = 'forget';

/** The score of a proposed row: of a new page what its links bring and what it starts with, of a known one what they bring. */
const startScore = (o: LinkOptions): Fragment =>
  o.endows ? fragment`(share + case when status is null then coalesce(start, 0) else 0 end)` : fragment`share`;
/** What its links bring to a known page: the cash of a proposed row is just that, save for the window's own pages. */
const gained = (o: LinkOptions): Fragment =>
  o.endows ? fragment`(case when ${isOwn} then excluded.score else excluded.cash end)` : fragment`excluded.score`;
const newRank = (o: LinkOptions): Fragment => rankOf(fragment`(w.score + ${gained(o)})`);
/** History of the textbook: what was frozen, less what went back. */
const handedOut = fragment`, history = case when ${isOwn}
           then coalesce(w.history, 0) + coalesce(w.spend, 0) - (excluded.cash - excluded.score) else w.history end`;

const upsertProposed = (o: LinkOptions) => fragment`
  insert into webpage as w (crawl, host, key, status, fetch_time, fetch_interval, score, cash, rank, distance, source_kind,
                            prev_fetch_time, retries_since_fetch, modified_time, prev_modified_time, spend_distance, etag
                            ${o.endows ? fragment`, metadata` : fragment``} ${o.dated ? fragment`, last_inlink` : fragment``})
  select ${o.crawl}, host, key, coalesce(status, 1), coalesce(fetch_time, now()), coalesce(fetch_interval, ${o.interval}::int),
         ${startScore(o)}, share + coalesce(given_back, 0), ${rankOf(startScore(o))}, coalesce(distance, 2147483647), coalesce(kind, 'link'),
         prev_fetch_time, coalesce(retries, 0), modified_time, prev_modified_time,
         case when status is not null then 0 end, case when unconditional then ${FORGET} end
         ${o.endows ? fragment`, case when status is null then carried end` : fragment``}
         ${o.dated ? fragment`, case when linked then now() end` : fragment``}
    from proposed order by host collate "C", key collate "C"
  on conflict (crawl, host, key) do update
     set score = w.score + ${gained(o)}, cash = w.cash + excluded.cash, distance = least(w.distance, excluded.distance),
         rank = case when ${isOwn} then case when excluded.fetch_time <= now() then ${newRank(o)} end
                     when w.rank is null then null
                     when abs(${newRank(o)} - w.rank) > ${RANK_SLACK}::int then ${newRank(o)} else w.rank end,
         status = case when ${isOwn} then excluded.status else w.status end,
         fetch_time = case when ${isOwn} then excluded.fetch_time else w.fetch_time end,
         prev_fetch_time = case when ${isOwn} then excluded.prev_fetch_time else w.prev_fetch_time end,
         fetch_interval = case when ${isOwn} then excluded.fetch_interval else w.fetch_interval end,
         retries_since_fetch = case when ${isOwn} then excluded.retries_since_fetch else w.retries_since_fetch end,
         modified_time = case when ${isOwn} then excluded.modified_time else w.modified_time end,
         prev_modified_time = case when ${isOwn} then excluded.prev_modified_time else w.prev_modified_time end,
         spend = case when ${isOwn} then null else w.spend end,
         spend_distance = case when ${isOwn} then null else w.spend_distance end,
         signature = case when excluded.etag = ${FORGET} then null else w.signature end,
         etag = case when excluded.etag = ${FORGET} then null else w.etag end,
         last_modified = case when excluded.etag = ${FORGET} then null else w.last_modified end,
         update_mark = case when ${isOwn} then coalesce(w.parse_mark, w.update_mark) else w.update_mark end,
         generate_mark = case when ${isOwn} then null else w.generate_mark end,
         fetch_mark = case when ${isOwn} then null else w.fetch_mark end,
         parse_mark = case when ${isOwn} then null else w.parse_mark end
         ${o.dated ? fragment`, last_inlink = coalesce(excluded.last_inlink, w.last_inlink)` : fragment``}
         ${o.history ? handedOut : fragment``}
  returning w.host, (xmax = 0) as added`;

/** A page of the batch as it leaves it. Times in ms since the epoch. */
export interface Settled {
  host: string;
  key: string;
  status: number;
  fetchTime: number;
  prevFetchTime: number;
  fetchInterval: number;
  retries: number;
  modifiedTime: number;
  prevModifiedTime: number;
  /** Cash that was not handed out. */
  givenBack: number;
  /** Forget signature and validators: the next fetch must be unconditional. */
  unconditional: boolean;
}

/** Removes pages with all that belongs to them (`db.update.purge.404`). */
export async function purgePages(tx: Sql, crawl: number, pages: { host: string; key: string }[]): Promise<void> {
  const page = fragment`unnest(${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[]) as page (host, key)`;
  await tx.query(
    sql`delete from webpage w using ${page} where w.crawl = ${crawl} and w.host = page.host and w.key = page.key`,
  );
  await tx.query(
    sql`delete from page_content p using ${page} where p.crawl = ${crawl} and p.host = page.host and p.key = page.key`,
  );
  await tx.query(
    sql`delete from inlink i using ${page} where i.crawl = ${crawl} and i.host = page.host and i.key = page.key`,
  );
}
