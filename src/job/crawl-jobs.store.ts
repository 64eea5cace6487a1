/**
 * The jobs of a crawl that is being deleted. Creating a job locks the row of its crawl until the job is committed, and deleting
 * the crawl locks that row first: so one of the two sees the other.
 */
import { type Sql, count, row, rows, sql } from '../db/sql.js';
import { crawlNumber } from '../webpage/crawl.store.js';
import { OPEN } from './states.sql.js';
import { deleteSeedLists } from './left-by-jobs.store.js';

/** Jobs that the error names. */
const MAX_NAMED = 5;

/** The crawl is not deleted: some of its jobs have not ended. */
export class CrawlBusy extends Error {
  constructor(
    readonly crawlId: string,
    /** The oldest of them. */
    readonly jobs: readonly string[],
  ) {
    super(`Crawl "${crawlId}" has jobs that have not ended: ${jobs.join(', ')}.`);
  }
}

/** The job is not created: its crawl is being deleted. */
export class CrawlBeingDeleted extends Error {
  constructor(
    readonly crawlId: string,
    readonly job: string,
  ) {
    super(`Crawl "${crawlId}" is being deleted by ${job}.`);
  }
}

/**
 * Locks a crawl, created at first use, against deletion until the transaction ends; returns its number. Throws
 * CrawlBeingDeleted.
 */
export async function lockCrawl(tx: Sql, crawlId: string): Promise<number> {
  const locked = () => row<{ id: number }>(tx)`select id from crawl where name = ${crawlId} for key share`;
  let crawl = await locked();
  // A crawl that is deleted between the two statements is created again.
  for (; crawl === undefined; crawl = await locked()) await crawlNumber(tx, crawlId);
  const deletion = await row<{ id: string }>(tx)`
    select id from job
     where crawl = ${crawl.id} and type = 'DROPCRAWL' and state in ${OPEN} limit 1`;
  if (deletion) throw new CrawlBeingDeleted(crawlId, deletion.id);
  return crawl.id;
}

/**
 * Locks a crawl for deletion: no job of it can be created until the transaction ends. Returns its number, or undefined
 * if there is no such crawl. Throws CrawlBusy.
 */
export async function lockToDelete(tx: Sql, crawlId: string): Promise<number | undefined> {
  const crawl = await row<{ id: number }>(tx)`select id from crawl where name = ${crawlId} for update`;
  if (crawl === undefined) return undefined;
  const open = await openJobs(tx, crawl.id);
  if (open.length > 0) throw new CrawlBusy(crawlId, open);
  return crawl.id;
}

/** Jobs of a crawl that have not ended, except `self`: the oldest first. */
async function openJobs(db: Sql, crawl: number, self = ''): Promise<string[]> {
  const open = await rows<{ id: string }>(db)`
    select id from job where crawl = ${crawl} and id <> ${self} and state in ${OPEN}
     order by number limit ${MAX_NAMED}`;
  return open.map(({ id }) => id);
}

/**
 * Deletes ended jobs of a crawl with their tasks and the lists of their inline seeds, except `self`, at most `limit`;
 * returns the number of jobs.
 */
export async function deleteJobs(
  tx: Sql,
  { crawl, crawlId, id }: { crawl: number; crawlId: string; id: string },
  limit: number,
): Promise<number> {
  const gone = await rows<{ list: string | null }>(tx)`
    delete from job where id in (
      select id from job
       where crawl_id = ${crawlId} and crawl = ${crawl} and id <> ${id} and ended_at is not null
       order by number desc limit ${limit})
    returning args ->> 'seedName' as list`;
  await deleteSeedLists(tx, [...new Set(gone.flatMap(({ list }) => list ?? []))]);
  return gone.length;
}

/** Deletes events of a crawl, except those of the job `id`, at most `limit`; returns how many. */
export const deleteEvents = (tx: Sql, { crawl, id }: { crawl: number; id: string }, limit: number): Promise<number> =>
  count(tx)`
    delete from job_event where id in (
      select id from job_event where crawl = ${crawl} and job <> ${id} order by id limit ${limit})`;

/** Deletes the crawl itself: its id is unknown from then on. Throws CrawlBusy if an older server created a job meanwhile. */
export async function deleteCrawl(
  tx: Sql,
  { crawl, crawlId, id }: { crawl: number; crawlId: string; id: string },
): Promise<void> {
  await tx.query(sql`select from crawl where id = ${crawl} for update`);
  const open = await openJobs(tx, crawl, id);
  if (open.length > 0) throw new CrawlBusy(crawlId, open);
  // A request for its counts may have computed and stored them again meanwhile.
  await tx.query(sql`delete from status_count where crawl = ${crawl}`);
  await tx.query(sql`delete from crawl where id = ${crawl}`);
  // The crawl without a name always exists.
  if (crawlId === '') await crawlNumber(tx, crawlId);
}
