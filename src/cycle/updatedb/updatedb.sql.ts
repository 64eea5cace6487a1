import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { RANK_SLACK, rankOf } from '../../webpage/rank.js';
import { type Place, batchWindow, hashRange, placeColumns } from '../batch.js';

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
  spend: number;
  /** Frozen when the page was generated. */
  distance: number;
  /** Outlinks to hand the spend to: those found now, not those of an earlier visit. */
  outlinks: number;
}

const sourceColumns = fragment`${placeColumns}, w.host, w.status, w.fetch_mark is not null as fetched, w.parse_mark is not null as parsed,
  coalesce(w.parse_major, 0) = 2 as "parseFailed", w.fetch_time as "fetchTime", w.prev_fetch_time as "prevFetchTime",
  w.fetch_interval as "fetchInterval", w.retries_since_fetch as retries, w.modified_time as "modifiedTime",
  w.prev_modified_time as "prevModifiedTime", w.last_modified as "lastModified", w.signature, w.prev_signature as "prevSignature",
  w.metadata ->> 'fixedInterval' as "fixedInterval", coalesce(w.spend, 0) as spend, coalesce(w.spend_distance, w.distance) as distance`;

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
     where w.crawl = ${q.crawl} and ${window.where} and ${hashRange(q.part, q.parts)}
     order by ${window.order} limit ${q.limit}`,
  );
}

/** Locks pages of the batch in key order and reads them; pages that left the batch meanwhile are missing. */
export function lockSources(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; mark: string }[],
): Promise<Source[]> {
  return rows<Source>(
    tx,
    sql`
    select ${sourceColumns},
           case when w.status in (4, 5) or w.parse_mark is not null then coalesce(cardinality(p.outlink_keys), 0) else 0 end as outlinks
      from webpage w
      join unnest(${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[], ${pages.map((p) => p.mark)}::text[])
           as page (host, key, mark)
        on w.crawl = ${crawl} and w.host = page.host and w.key = page.key and w.generate_mark = page.mark
      left join page_content p on p.crawl = w.crawl and p.host = w.host and p.key = w.key
     order by w.host, w.key for update of w`,
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
}

export interface LinkEffects {
  /** New pages by host. */
  added: { host: string; n: number }[];
  /** Pages that got inlinks now. */
  linked: { host: string; key: string }[];
}

/**
 * Hands the shares of a window of pages to the targets of their outlinks: one upsert for all, aggregated by target, in
 * key order. A known page gets score, cash and perhaps a shorter distance, and keeps its status; a new one is due now.
 * Its rank, and so the index, moves only when its score has moved by more than an eighth.
 *
 * Rejected for speed: an upsert per source page (four times the row versions), and reading the links into the server
 * process to aggregate them there (the links travel twice).
 */
export async function payOutlinks(tx: Sql, payers: Payer[], o: LinkOptions): Promise<LinkEffects> {
  const found = await rows<{ kind: string; host: string; key: string; n: number }>(
    tx,
    sql`
    with source as (
      select * from unnest(
        ${payers.map((p) => p.host)}::text[], ${payers.map((p) => p.key)}::text[], ${payers.map((p) => p.internalShare)}::float8[],
        ${payers.map((p) => p.externalShare)}::float8[], ${payers.map((p) => p.distance)}::int[], ${payers.map((p) => p.kind)}::text[])
        as s (host, key, internal, external, distance, kind)
    ), link as materialized (
      select split_part(l.key, ':', 1) collate "C" as host, l.key collate "C" as key, s.host as source_host, s.key as source,
             l.anchor, s.kind, s.distance,
             case when split_part(l.key, ':', 1) = s.host then s.internal else s.external end as share
        from source s
        join page_content p on p.crawl = ${o.crawl} and p.host = s.host and p.key = s.key
       cross join lateral unnest(p.outlink_keys, p.outlink_anchors) as l (key, anchor)
    ), target as (
      select host, key, sum(share) as score, min(distance) + 1 as distance, min(kind) as kind from link group by host, key
    ), put as (
      ${o.additions ? upsertTargets(o) : updateTargets(o)}
    ), inlinked as (
      insert into inlink (crawl, host, key, source, anchor, score)
      select ${o.crawl}, host, key, source, anchor, share
        from (select host, key, source, min(anchor) as anchor, sum(share) as share,
                     row_number() over (partition by host, key order by sum(share) desc, source) as place
                from link where not ${o.ignoreInternal} or host <> source_host
               group by host, key, source) best
       where place <= ${o.maxInlinks}
         and (${o.additions} or exists (select from webpage w where w.crawl = ${o.crawl} and w.host = best.host and w.key = best.key))
       order by host, key, source
      on conflict (crawl, host, key, source) do update set anchor = excluded.anchor, score = excluded.score
      returning host, key
    )
    select 'added' as kind, host, '' as key, count(*)::int as n from put where added group by host
     union all
    select distinct 'linked', host, key, 0 from inlinked`,
  );
  return {
    added: found.filter(({ kind }) => kind === 'added').map(({ host, n }) => ({ host, n })),
    linked: found.filter(({ kind }) => kind === 'linked').map(({ host, key }) => ({ host, key })),
  };
}

const newRank = rankOf(fragment`(w.score + excluded.score)`);

const upsertTargets = (o: LinkOptions) => fragment`
  insert into webpage as w (crawl, host, key, status, fetch_time, fetch_interval, score, cash, rank, distance, source_kind)
  select ${o.crawl}, host, key, 1, now(), ${o.interval}::int, score, score, ${rankOf(fragment`score`)}, distance, kind
    from target order by host, key
  on conflict (crawl, host, key) do update
     set score = w.score + excluded.score, cash = w.cash + excluded.cash, distance = least(w.distance, excluded.distance),
         rank = case when w.rank is null then null
                     when abs(${newRank} - w.rank) > ${RANK_SLACK}::int then ${newRank} else w.rank end
  returning w.host, (xmax = 0) as added`;

const updateTargets = (o: LinkOptions) => fragment`
  update webpage w
     set score = w.score + t.score, cash = w.cash + t.score, distance = least(w.distance, t.distance),
         rank = case when w.rank is null then null else ${rankOf(fragment`(w.score + t.score)`)} end
    from target t
   where w.crawl = ${o.crawl} and w.host = t.host and w.key = t.key
  returning w.host, false as added`;

/** Keeps the best inlinks of pages that have more than their number. */
export async function capInlinks(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string }[],
  max: number,
): Promise<void> {
  await tx.query(sql`
    with over as (
      select i.host, i.key from inlink i
        join unnest(${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[]) as page (host, key)
          on i.crawl = ${crawl} and i.host = page.host and i.key = page.key
       group by i.host, i.key having count(*) > ${max}
    ), ranked as (
      select i.host, i.key, i.source, row_number() over (partition by i.host, i.key order by i.score desc, i.source) as place
        from inlink i join over using (host, key) where i.crawl = ${crawl}
    )
    delete from inlink i using ranked r
     where i.crawl = ${crawl} and i.host = r.host and i.key = r.key and i.source = r.source and r.place > ${max}`);
}

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

/** Writes the pages' new states, takes their marks and makes them wait, or selectable when they are due at once. */
export async function settleSources(tx: Sql, crawl: number, pages: Settled[]): Promise<void> {
  const of = <T>(value: (page: Settled) => T): T[] => pages.map(value);
  const time = (value: (page: Settled) => number): (Date | null)[] =>
    pages.map((page) => (value(page) > 0 ? new Date(value(page)) : null));
  await tx.query(sql`
    update webpage w
       set status = v.status, fetch_time = v.fetch_time, prev_fetch_time = v.prev_fetch_time, fetch_interval = v.fetch_interval,
           retries_since_fetch = v.retries, modified_time = v.modified_time, prev_modified_time = v.prev_modified_time,
           cash = w.cash + v.given_back, spend = null, spend_distance = null,
           signature = case when v.unconditional then null else w.signature end,
           etag = case when v.unconditional then null else w.etag end,
           last_modified = case when v.unconditional then null else w.last_modified end,
           update_mark = coalesce(w.parse_mark, w.update_mark), generate_mark = null, fetch_mark = null, parse_mark = null,
           rank = case when v.fetch_time <= now() then ${rankOf(fragment`w.score`)} end
      from unnest(
           ${of((p) => p.host)}::text[], ${of((p) => p.key)}::text[], ${of((p) => p.status)}::int[], ${time((p) => p.fetchTime)}::timestamptz[],
           ${time((p) => p.prevFetchTime)}::timestamptz[], ${of((p) => p.fetchInterval)}::int[], ${of((p) => p.retries)}::int[],
           ${time((p) => p.modifiedTime)}::timestamptz[], ${time((p) => p.prevModifiedTime)}::timestamptz[],
           ${of((p) => p.givenBack)}::float8[], ${of((p) => p.unconditional)}::bool[])
           as v (host, key, status, fetch_time, prev_fetch_time, fetch_interval, retries, modified_time, prev_modified_time,
                 given_back, unconditional)
     where w.crawl = ${crawl} and w.host = v.host and w.key = v.key`);
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
