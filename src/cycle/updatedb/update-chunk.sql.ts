/**
 * Closes a chunk of pages in one statement: contributions are added to the targets of their outlinks, aggregated by target, and
 * the pages themselves get their new states and lose their marks. A known target gets score, cash and perhaps a shorter
 * distance, and keeps its status; a new one is due now. A rank, and so the index, changes only if the score has changed by
 * more than a third, or in the range in which the next batch is selected (exact-ranks.sql.ts).
 *
 * Sources and targets are rows of one upsert in the order of the primary key, so that partitions cannot deadlock.
 * `spend_distance` of the proposed row distinguishes the two: only the chunk's own pages have it.
 *
 * Partitions of a job work on hosts of their own. With contributions to other hosts they would wait for each other's commits,
 * so these may be written to a table (pending-contributions.sql.ts) and added later.
 *
 * Rejected for speed: an upsert per source page (four times the row versions), and reading the links into the server
 * process to aggregate them there (the links are transferred twice).
 */
import { rowList } from '../../db/row-list.js';
import { type Fragment, type Sql, fragment, prepared, rows } from '../../db/sql.js';
import type { PageKey } from '../../core/page/page-row.js';
import { changedByLinks, linksOf, putInlinks, worthCapping } from '../inlinks.sql.js';
import { type LinkOptions, initialValuesOfTarget, mayEnter, upsertProposed } from './proposed-rows.sql.js';
import type { LinksInDocuments } from '../../plugin/indexing-filters.js';
import { crawlColumn } from '../../webpage/crawl-column.sql.js';

/** A page of the chunk that contributes to the targets of its outlinks. */
export interface Contributor {
  host: string;
  key: string;
  internalShare: number;
  externalShare: number;
  distance: number;
  kind: 'link' | 'redirect';
  /** Initial score, besides its contribution, of a page to which this one is the first to link. */
  start?: number;
  /** Metadata for such a page. */
  carried?: Readonly<Record<string, string>>;
}

/** A page of the batch as UPDATEDB leaves it. Times in ms since the epoch. */
export interface UpdatedPage {
  host: string;
  key: string;
  status: number;
  fetchTime: number;
  prevFetchTime: number;
  fetchInterval: number;
  retries: number;
  modifiedTime: number;
  prevModifiedTime: number;
  /** Cash that was not distributed. */
  givenBack: number;
  /** Clear signature and validators: the next fetch must be unconditional. */
  unconditional: boolean;
}

/**
 * Contributions to targets of one partition, aggregated by target, and targets whose inlinks it counts: parallel arrays, as
 * PostgreSQL writes them.
 */
export interface Contributions {
  part: number;
  targets: number;
  keys: string;
  shares: string;
  distances: string;
  kinds: string;
}

export interface LinkEffects {
  added: { host: string; n: number }[];
  /** Pages that got inlinks now, and may have too many; if contributions are pending they are among these (`TO_COUNT`). */
  linked: { host: string; key: string }[];
  /** Pages whose documents the links have changed; only if that was requested. */
  changed: PageKey[];
  /** Contributions that are still to be added; only if that was requested. */
  contributions: Contributions[];
}

interface EffectRow extends Partial<Omit<Contributions, 'part'>> {
  kind: 'added' | 'linked' | 'changed' | 'contributions';
  host: string;
  key: string;
  n: number;
}

/** Adds the contributions of `contributors` to their targets, and gives the pages `updated` their new states. */
export async function closeChunk(
  tx: Sql,
  contributors: Contributor[],
  updated: UpdatedPage[],
  options: LinkOptions,
): Promise<LinkEffects> {
  // With further joins the plan depends on the number of links.
  const isPlain = options.additions && options.purgedSince === undefined && options.rewrites === undefined;
  const effects = await rows<EffectRow>(isPlain ? prepared(tx) : tx)`
    with source as (
      select * from ${contributorRows(options.crawl, contributors)}
    ), own as (
      select * from ${updatedRows(updated)}
    ), ${links(options)}, target as (
      ${targets(options)}
    ), put as (
      ${upsertProposed(options)}
    ), inlinked as (
      ${inlinks(options, contributors.length)}
    )
    select 'added' as kind, host, '' as key, count(*)::int as n ${noContributions} from put where added group by host
     union all
    ${options.pendingFor === undefined ? linkedNow(options) : pending(options, options.pendingFor)}
    ${options.inDocuments === undefined ? fragment`` : changed(options.crawl, options.inDocuments)}`;
  return {
    added: effects.filter(({ kind }) => kind === 'added').map(({ host, n }) => ({ host, n })),
    linked: effects.filter(({ kind }) => kind === 'linked').map(({ host, key }) => ({ host, key })),
    changed: effects.filter(({ kind }) => kind === 'changed').map(({ host, key }) => ({ host, key })),
    contributions: effects
      .filter(({ kind }) => kind === 'contributions')
      .map(({ n, targets, keys, shares, distances, kinds }) => ({
        part: n,
        targets: targets!,
        keys: keys!,
        shares: shares!,
        distances: distances!,
        kinds: kinds!,
      })),
  };
}

/** The targets of this statement: all of the links, or without those whose contributions stay pending. */
const targets = (options: LinkOptions): Fragment => fragment`
      select host, key, sum(share) as share, min(distance) + 1 as distance, min(kind) as kind
             ${options.initialValues ? initialValuesOfTarget : fragment``}
        from link ${options.pendingFor === undefined ? fragment`` : fragment`where ${addedAtOnce}`} group by host, key`;

/** Writes the links as inlinks of their targets, with the present anchor and score of the source. */
const inlinks = ({ crawl, maxInlinks, ignoreInternal }: LinkOptions, sources: number): Fragment => fragment`
      ${putInlinks({
        crawl,
        maxInlinks,
        sources,
        condition: fragment`(not ${ignoreInternal} or not inside)`,
        merge: fragment`set anchor = excluded.anchor, score = excluded.score`,
      })}
      returning host, key, source, anchor`;

/** Contributions to targets of redirects are added at once: the URL that represents the chain is written to them. */
const addedAtOnce = fragment`(inside or kind = 'redirect')`;

/**
 * The links of the chunk that may contribute, one row each: CTEs up to `link`. Those `inside` a host, which are most, are
 * recognized by the prefix that all its keys have, and have their host from the page.
 */
function links(options: LinkOptions): Fragment {
  const inside = fragment`starts_with(link.key, source.prefix)`;
  const linkRows = fragment`
      select case when ${inside} then source.host else split_part(link.key, ':', 1) end collate "C" as host, link.key collate "C" as key,
             ${inside} as inside, source.key as source, link.anchor, source.kind, source.distance, ${options.initialValues ? fragment`source.start, source.carried,` : fragment``}
             case when ${inside} then source.internal else source.external end as share
        from source
        join page_content p on p.crawl = source.crawl and p.host = source.host and p.key = source.key
       cross join lateral ${linksOf(options.rewrites)} as link (key, anchor)`;
  return mayEnter(options, linkRows);
}

/**
 * Instead of a distance: nothing is added to this page, but its inlinks are to be counted, as other partitions may be adding
 * some.
 */
export const TO_COUNT = 2_147_483_646;

const noContributions = fragment`, null::int as targets, null::text as keys, null::text as shares, null::text as distances, null::text as kinds`;

/**
 * Contributions to other hosts, by the partition that will add them. They are sent as text in both directions and not parsed
 * here.
 */
const pending = (options: LinkOptions, parts: number): Fragment => fragment`
    select 'contributions', '', '', (abs(hashtext(host)::bigint) % ${parts}::int)::int, count(*)::int, array_agg(key)::text, array_agg(share)::text,
           array_agg(distance)::text, array_agg(kind)::text
      from (select host, key, sum(share) as share, min(distance) as distance, min(kind) as kind
              from link where not ${addedAtOnce} group by host, key
             union all
            select distinct host, key, 0::float8, ${TO_COUNT}::int, 'link' ${linked(options)}) for_others
     group by 4`;

/** The pages that got inlinks, if nothing is pending. */
const linkedNow = (options: LinkOptions): Fragment =>
  fragment`select distinct 'linked', host, key, 0 ${noContributions} ${linked(options)}`;

const changed = (crawl: number, which: LinksInDocuments): Fragment =>
  fragment`union all select 'changed', host, key, 0 ${noContributions} from (${changedByLinks(crawl, which)}) of_document`;

const linked = (options: LinkOptions): Fragment => fragment`from inlinked where ${worthCapping(options.maxInlinks)}`;

const contributorRows = (crawl: number, contributors: Contributor[]): Fragment =>
  rowList('s', contributors, {
    crawl: crawlColumn(crawl, contributors.length),
    host: ['text', ({ host }) => host],
    key: ['text', ({ key }) => key],
    internal: ['float8', ({ internalShare }) => internalShare],
    external: ['float8', ({ externalShare }) => externalShare],
    distance: ['int', ({ distance }) => distance],
    kind: ['text', ({ kind }) => kind],
    start: ['float8', ({ start }) => start ?? 0],
    carried: ['jsonb', ({ carried }) => carried ?? {}],
    prefix: ['text', ({ host }) => `${host}:`],
  });

/** Rows of the chunk's own pages, under the name `own`. */
export const updatedRows = (pages: readonly UpdatedPage[]): Fragment =>
  rowList('own', pages, {
    host: ['text', ({ host }) => host],
    key: ['text', ({ key }) => key],
    status: ['int', ({ status }) => status],
    fetch_time: ['timestamptz', ({ fetchTime }) => dateOf(fetchTime)],
    prev_fetch_time: ['timestamptz', ({ prevFetchTime }) => dateOf(prevFetchTime)],
    fetch_interval: ['int', ({ fetchInterval }) => fetchInterval],
    retries: ['int', ({ retries }) => retries],
    modified_time: ['timestamptz', ({ modifiedTime }) => dateOf(modifiedTime)],
    prev_modified_time: ['timestamptz', ({ prevModifiedTime }) => dateOf(prevModifiedTime)],
    given_back: ['float8', ({ givenBack }) => givenBack],
    unconditional: ['bool', ({ unconditional }) => unconditional],
  });

/** 0: no time. */
const dateOf = (ms: number): Date | null => (ms > 0 ? new Date(ms) : null);
