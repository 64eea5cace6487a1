/**
 * The input of the link graph, and the output of its scores. URLs are represented by a hash of 64 bits, with a seed that each
 * attempt draws: so a page is 8 bytes in transfer, and nobody can construct URLs with the same hash.
 */
import { type Fragment, type Sql, count, fragment, identifier, joined, rows } from '../../db/sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import type { PageKey } from '../../core/page/page-row.js';
import { MIN_KEY_HASH, samePageAs } from '../../webpage/page-key.sql.js';

/** A page by the primary key of `webpage` and `webgraph_node`, which are read in its order: the hash is a bigint as text. */
export interface PageAt {
  host: string;
  keyHash: string;
}

/** Less than any other. */
export const BEFORE_ALL: PageAt = { host: '', keyHash: MIN_KEY_HASH };

/** A chunk of the pages or nodes of a crawl, in their order. */
export interface GraphQuery<After> {
  crawl: number;
  /** Of the hashes that represent URLs, bigint as text. */
  seed: string;
  after: After;
  limit: number;
}

/**
 * Maximum number of links read of one page: pages with more, whatever their parser allowed, must not exhaust the memory of a
 * job.
 */
const MAX_LINKS = 10_000;

const hashOf = (text: Fragment, seed: string): Fragment =>
  fragment`int8send(hashtextextended(${text}, ${seed}::bigint))`;

/** Neighbouring pages of a host, 8 bytes each, in the order of the table; `keyHash` is that of the last one. */
export interface HostNodes extends PageAt {
  pages: number;
  hashes: Buffer;
  /** The hashes of their URLs without the query. */
  pageHashes: Buffer | null;
}

/** The next pages of a crawl in the order of the table, host by host. */
export const nextNodes = (
  db: Sql,
  { crawl, seed, after, limit }: GraphQuery<PageAt>,
  withPages: boolean,
): Promise<HostNodes[]> => {
  const pageHash = hashOf(fragment`split_part(key, '?', 1)`, seed);
  const pageHashes = withPages ? fragment`string_agg(${pageHash}, ''::bytea order by key_hash)` : fragment`null::bytea`;
  return rows<HostNodes>(db)`
    select host, max(key_hash)::text as "keyHash", count(*)::int as pages,
           string_agg(${hashOf(fragment`key`, seed)}, ''::bytea order by key_hash) as hashes, ${pageHashes} as "pageHashes"
      from (select w.host, w.key_hash, w.key from webpage w
             where w.crawl = ${crawl} and (w.host, w.key_hash) > (${after.host}::text, ${after.keyHash}::bigint)
             order by w.host, w.key_hash limit ${limit}) page
     group by host order by host`;
};

/** A page and all that it links to: the hash of each, 8 bytes. */
export interface PageLinks extends PageKey {
  hashes: Buffer;
}

/** Counted page by page: an anti-join reads all gone pages of the crawl for each chunk. */
const notGone = fragment`and (
         select count(*) from webpage w
          where ${samePageAs('p')} and w.status = ${statusOf('gone')}) = 0`;

/** The links of the next pages that have some, in the order of `page_content`: by key. */
export const nextLinks = (
  db: Sql,
  { crawl, seed, after, limit }: GraphQuery<PageKey>,
  deleteGone: boolean,
): Promise<PageLinks[]> =>
  rows<PageLinks>(db)`
    select p.host, p.key,
           ${hashOf(fragment`p.key`, seed)} || (
             select string_agg(${hashOf(fragment`link`, seed)}, ''::bytea)
               from unnest(p.outlink_keys[1:${MAX_LINKS}::int]) as link) as hashes
      from page_content p
     where p.crawl = ${crawl} and (p.host, p.key) > (${after.host}::text, ${after.key}::text)
       and cardinality(p.outlink_keys) > 0 ${deleteGone ? notGone : fragment``}
     order by p.host, p.key limit ${limit}`;

/** A page, with its hash of 8 bytes. */
export interface HashedPage extends PageKey, PageAt {
  hash: Buffer;
}

/** The next pages in the order of the table. */
export const nextHashedPages = (db: Sql, { crawl, seed, after, limit }: GraphQuery<PageAt>): Promise<HashedPage[]> =>
  rows<HashedPage>(db)`
    select w.host, w.key, w.key_hash::text as "keyHash", ${hashOf(fragment`w.key`, seed)} as hash from webpage w
     where w.crawl = ${crawl} and (w.host, w.key_hash) > (${after.host}::text, ${after.keyHash}::bigint)
     order by w.host, w.key_hash limit ${limit}`;

/** A column of `webgraph_node`, and its value for each of some pages. */
export interface NodeColumn {
  name: 'num_inlinks' | 'num_outlinks' | 'link_rank' | 'page_rank' | 'hub' | 'authority';
  values: (number | null)[];
}

/**
 * Writes values of some pages, if they have changed; returns how many rows changed. With RETURNING, since Citus counts the
 * proposed rows otherwise.
 */
export function putNodes(
  tx: Sql,
  crawl: number,
  pages: readonly PageKey[],
  columns: readonly NodeColumn[],
): Promise<number> {
  const names = columns.map(({ name }) => identifier(name));
  const changes = names.map((name) => fragment`${name} = excluded.${name}`);
  const isChanged = names.map((name) => fragment`n.${name} is distinct from excluded.${name}`);
  const values = columns.map(({ values: numbers }) => fragment`${numbers}::float8[]`);
  return count(tx)`
    insert into webgraph_node as n (crawl, host, key, ${joined(names, ', ')})
    select ${crawl}::int, page.*
      from unnest(${pages.map(({ host }) => host)}::text[], ${pages.map(({ key }) => key)}::text[], ${joined(values, ', ')}) as page
    on conflict (crawl, host, key_hash) do update
       set ${joined(changes, ', ')}
     where ${joined(isChanged, ' or ')}
    returning 1`;
}

/**
 * Removes nodes after `after`, up to `last` (null: to the end), whose pages have left the table; returns how many. Hosts are
 * also compared alone: by keys of two columns the planner takes a chunk for half of the table, and reads all of it. Pages are
 * counted, as that is a look-up for each node: an anti-join by old statistics compared each node with each page.
 */
export function deleteStaleNodes(tx: Sql, crawl: number, after: PageAt, last: PageAt | null): Promise<number> {
  const upTo =
    last === null
      ? fragment``
      : fragment`and n.host <= ${last.host}::text and (n.host, n.key_hash) <= (${last.host}::text, ${last.keyHash}::bigint)`;
  return count(tx)`
    delete from webgraph_node n
     where n.crawl = ${crawl} and n.host >= ${after.host}::text and (n.host, n.key_hash) > (${after.host}::text, ${after.keyHash}::bigint) ${upTo}
       and (select count(*) from webpage w
             where w.crawl = n.crawl and w.host = n.host and w.key_hash = n.key_hash and w.key = n.key) = 0`;
}
