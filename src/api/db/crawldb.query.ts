/** The statements of the routes of `/db`, but for those that read pages in the order of their keys. */
import type { Pool } from 'pg';
import { slowRows } from '../../db/slow-rows.js';
import { type Sql, fragment, row, rows, sql } from '../../db/sql.js';
import { BEGUN } from '../../job/states.sql.js';
import type { PageKey } from '../../core/page/page-row.js';

/** The crawl of the running FETCH, else of the newest one; undefined if there has been none. */
export async function crawlOfNewestFetch(db: Sql): Promise<number | undefined> {
  const newestFirst = fragment`order by number desc limit 1`;
  const fetch = await row<{ crawl: number }>(db)`
    (select crawl, 1 as preference from job where type = 'FETCH' and state in ${BEGUN} ${newestFirst})
    union all (select crawl, 2 from job where type = 'FETCH' ${newestFirst}) order by preference limit 1`;
  return fetch?.crawl;
}

/** The only crawl; undefined if there are several. The one without a name always exists, and counts if there is no other. */
export async function onlyCrawl(db: Sql): Promise<number | undefined> {
  const [only, another] = await rows<{ id: number }>(db)`
    with named as (select id from crawl where name <> '' limit 2)
    select id from named union all select id from crawl where name = '' and not exists (select from named)`;
  return another === undefined ? only?.id : undefined;
}

/** A page with its score. */
export interface Scored {
  key: string;
  score: number;
}

/** Pages by score, the highest first, after `last`. Reads all pages of the crawl. */
export function bestAfter(
  pool: Pool,
  crawl: number,
  { last, minScore, limit, signal }: { last?: Scored; minScore: number; limit: number; signal?: AbortSignal },
): Promise<Scored[]> {
  const after = last
    ? fragment`and score <= ${last.score} and (score < ${last.score} or key > ${last.key})`
    : fragment``;
  return slowRows<Scored>(
    pool,
    sql`
    select key, score from webpage where crawl = ${crawl} and score >= ${minScore} ${after}
     order by score desc, key limit ${limit}`,
    signal,
  );
}

/** A link to the page `key`. */
interface InlinkOf {
  key: string;
  source: string;
  anchor: string | null;
}

/** All links to some pages. */
export const inlinksOfPages = (db: Sql, crawl: number, pages: readonly PageKey[]): Promise<InlinkOf[]> =>
  rows<InlinkOf>(db)`
    select key, source, anchor from inlink
     where crawl = ${crawl} and host = any (${[...new Set(pages.map(({ host }) => host))]}::text[])
       and key = any (${pages.map(({ key }) => key)}::text[])`;
