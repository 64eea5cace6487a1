/** Crawls: their numbers by name, and whether they have pages and batches. */
import { type Sql, row, sql } from '../db/sql.js';

/** The number of a crawl id in every table that grows with the web; created at first use. */
export async function crawlNumber(db: Sql, crawlId: string): Promise<number> {
  const known = await knownCrawl(db, crawlId);
  if (known !== undefined) return known;
  await db.query(sql`insert into crawl (name) values (${crawlId}) on conflict (name) do nothing`);
  return (await knownCrawl(db, crawlId))!;
}

/** The number of a crawl that exists, or undefined. */
export async function knownCrawl(db: Sql, crawlId: string): Promise<number | undefined> {
  return (await row<{ id: number }>(db)`select id from crawl where name = ${crawlId}`)?.id;
}

/** Whether a crawl has a page. */
export async function hasPages(db: Sql, crawl: number): Promise<boolean> {
  const pages = await row<{ exist: boolean }>(db)`
    select exists (select 1 from webpage where crawl = ${crawl}) as exist`;
  return pages!.exist;
}

/** Whether a crawl has a page, or a job that adds pages. */
export async function isWritten(db: Sql, { crawl, crawlId }: { crawl: number; crawlId: string }): Promise<boolean> {
  const state = await row<{ written: boolean }>(db)`
    select exists (select 1 from webpage where crawl = ${crawl})
        or exists (select 1 from job where crawl_id = ${crawlId} and type in ('INJECT', 'CRAWL')) as written`;
  return state!.written;
}

/** The batch that GENERATE marked last in a crawl, or null. */
export async function newestBatch(db: Sql, crawl: number): Promise<string | null> {
  return (
    (await row<{ batch: string | null }>(db)`select newest_batch as batch from crawl where id = ${crawl}`)?.batch ??
    null
  );
}
