/**
 * What the link graph is read from, and where the scores go. URLs are known by 64 bits of hash, with a seed that each attempt
 * draws: so a page is 8 bytes on its way, and nobody can make URLs that meet in one hash.
 */
import { type Sql, count, fragment, rows } from '../../db/sql.js';

type Fragment = ReturnType<typeof fragment>;

export interface PageKey {
  host: string;
  key: string;
}

/** Less than any key. */
export const BEFORE_ALL: PageKey = { host: '', key: '' };

export interface Walk {
  crawl: number;
  /** Of the hashes, bigint as text. */
  seed: string;
  after: PageKey;
  limit: number;
}

/** Links of one page that are read: what its parser has let in beyond that cannot make a job run out of memory. */
const MAX_LINKS = 10_000;

const hashOf = (text: Fragment, seed: string): Fragment =>
  fragment`int8send(hashtextextended(${text}, ${seed}::bigint))`;

/** Neighbouring pages of a host: `key` is the last of them, the others are 8 bytes each, in the order of their keys. */
export interface HostNodes extends PageKey {
  pages: number;
  hashes: Buffer;
  /** The same of their URLs without the query. */
  pageHashes: Buffer | null;
}

/** The next pages of a crawl in the order of the table, host by host. */
export const nextNodes = (db: Sql, { crawl, seed, after, limit }: Walk, withPages: boolean): Promise<HostNodes[]> => {
  const pageHash = hashOf(fragment`split_part(key, '?', 1)`, seed);
  const pageHashes = withPages ? fragment`string_agg(${pageHash}, ''::bytea order by key)` : fragment`null::bytea`;
  return rows<HostNodes>(db)`
    select host, max(key) as key, count(*)::int as pages,
           string_agg(${hashOf(fragment`key`, seed)}, ''::bytea order by key) as hashes, ${pageHashes} as "pageHashes"
      from (select w.host, w.key from webpage w
             where w.crawl = ${crawl} and (w.host, w.key) > (${after.host}::text, ${after.key}::text)
             order by w.host, w.key limit ${limit}) page
     group by host order by host`;
};

/** A page and all that it links to: the hash of each, 8 bytes. */
export interface PageLinks extends PageKey {
  hashes: Buffer;
}

const notGone = fragment`and not exists (
         select from webpage w where w.crawl = p.crawl and w.host = p.host and w.key = p.key and w.status = 3)`;

/** The links of the next pages that have some, in the order of the table. */
export const nextLinks = (db: Sql, { crawl, seed, after, limit }: Walk, deleteGone: boolean): Promise<PageLinks[]> =>
  rows<PageLinks>(db)`
    select p.host, p.key,
           ${hashOf(fragment`p.key`, seed)} || (
             select string_agg(${hashOf(fragment`link`, seed)}, ''::bytea)
               from unnest(p.outlink_keys[1:${MAX_LINKS}::int]) as link) as hashes
      from page_content p
     where p.crawl = ${crawl} and (p.host, p.key) > (${after.host}::text, ${after.key}::text)
       and cardinality(p.outlink_keys) > 0 ${deleteGone ? notGone : fragment``}
     order by p.host, p.key limit ${limit}`;

/** The next pages, with the hash of each. */
export const nextPages = (db: Sql, { crawl, seed, after, limit }: Walk): Promise<PageLinks[]> =>
  rows<PageLinks>(db)`
    select w.host, w.key, ${hashOf(fragment`w.key`, seed)} as hashes from webpage w
     where w.crawl = ${crawl} and (w.host, w.key) > (${after.host}::text, ${after.key}::text)
     order by w.host, w.key limit ${limit}`;

/** A column of `webgraph_node`, and its value for each of some pages. */
export interface NodeColumn {
  name: Fragment;
  values: (number | null)[];
}

const listed = (parts: readonly Fragment[]): Fragment => parts.reduce((all, one) => fragment`${all}, ${one}`);

/** Writes what was found of some pages, where it is something else than before; returns how many rows changed. */
export function putNodes(
  tx: Sql,
  crawl: number,
  pages: readonly PageKey[],
  columns: readonly NodeColumn[],
): Promise<number> {
  const names = listed(columns.map(({ name }) => name));
  return count(tx)`
    insert into webgraph_node as n (crawl, host, key, ${names})
    select ${crawl}::int, page.*
      from unnest(${pages.map(({ host }) => host)}::text[], ${pages.map(({ key }) => key)}::text[],
                  ${listed(columns.map(({ values }) => fragment`${values}::float8[]`))}) as page
    on conflict (crawl, host, key) do update
       set ${listed(columns.map(({ name }) => fragment`${name} = excluded.${name}`))}
     where ${columns
       .map(({ name }) => fragment`n.${name} is distinct from excluded.${name}`)
       .reduce((all, one) => fragment`${all} or ${one}`)}`;
}

/**
 * Removes nodes behind `after`, up to `last` (null: to the end), whose pages have left the table; returns how many. Hosts are
 * compared alone, too: by keys of two columns the planner takes a chunk for half of the table, and reads all of it.
 */
export function dropLeft(tx: Sql, crawl: number, after: PageKey, last: PageKey | null): Promise<number> {
  const upTo =
    last === null
      ? fragment``
      : fragment`and n.host <= ${last.host}::text and (n.host, n.key) <= (${last.host}::text, ${last.key}::text)`;
  return count(tx)`
    delete from webgraph_node n
     where n.crawl = ${crawl} and n.host >= ${after.host}::text and (n.host, n.key) > (${after.host}::text, ${after.key}::text) ${upTo}
       and not exists (select from webpage w
                        where w.crawl = n.crawl and w.host = n.host and w.key = n.key and w.host >= ${after.host}::text
                              ${last === null ? fragment`` : fragment`and w.host <= ${last.host}::text`})`;
}
