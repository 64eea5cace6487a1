/**
 * The jobs of a crawl that is deleted. Whoever makes a job holds the row of its crawl until the job is written, and whoever deletes
 * the crawl locks that row first: so of the two one sees the other.
 */
import { type Sql, count, row, rows, sql } from '../db/sql.js';
import { crawlNumber } from '../webpage/crawl.store.js';
import { OPEN } from './job-states.js';
import { forgetSeedLists } from './left-by-jobs.js';

/** Jobs that a refusal names. */
const NAMED = 5;

/** A crawl is not deleted: jobs of it have not ended. */
export class CrawlBusy extends Error {
  constructor(
    readonly crawlId: string,
    /** The oldest of them. */
    readonly jobs: readonly string[],
  ) {
    super(`Crawl "${crawlId}" has jobs that have not ended: ${jobs.join(', ')}.`);
  }
}

/** A job is not made: its crawl is being deleted. */
export class CrawlBeingDeleted extends Error {
  constructor(
    readonly crawlId: string,
    readonly job: string,
  ) {
    super(`Crawl "${crawlId}" is being deleted by ${job}.`);
  }
}

/** Keeps a crawl, which is made at first use, from being deleted until the transaction ends; returns its number. Throws CrawlBeingDeleted. */
export async function lockCrawl(tx: Sql, crawlId: string): Promise<number> {
  const locked = () => row<{ id: number }>(tx)`select id from crawl where name = ${crawlId} for key share`;
  let crawl = await locked();
  // One that is deleted between the two statements is made again.
  for (; crawl === undefined; crawl = await locked()) await crawlNumber(tx, crawlId);
  const deletion = await row<{ id: string }>(tx)`
    select id from job
     where crawl = ${crawl.id} and type = 'DROPCRAWL' and state in ${OPEN} limit 1`;
  if (deletion) throw new CrawlBeingDeleted(crawlId, deletion.id);
  return crawl.id;
}

/**
 * Locks a crawl that is to be deleted: no job of it is made until the transaction ends. Returns its number, or undefined for one
 * that nobody knows. Throws CrawlBusy.
 */
export async function lockToDelete(tx: Sql, crawlId: string): Promise<number | undefined> {
  const crawl = await row<{ id: number }>(tx)`select id from crawl where name = ${crawlId} for update`;
  if (crawl === undefined) return undefined;
  const open = await openJobs(tx, crawl.id);
  if (open.length > 0) throw new CrawlBusy(crawlId, open);
  return crawl.id;
}

/** Jobs of a crawl that have not ended, but for `self`: the oldest of them. */
async function openJobs(db: Sql, crawl: number, self = ''): Promise<string[]> {
  const open = await rows<{ id: string }>(db)`
    select id from job where crawl = ${crawl} and id <> ${self} and state in ${OPEN}
     order by number limit ${NAMED}`;
  return open.map(({ id }) => id);
}

/**
 * Forgets ended jobs of a crawl with their tasks and the lists of their inline seeds, but for `self`, at most `limit`; returns
 * how many jobs.
 */
export async function forgetJobs(
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
  await forgetSeedLists(tx, [...new Set(gone.flatMap(({ list }) => list ?? []))]);
  return gone.length;
}

/** Forgets events of a crawl, but for those of the job `id`, at most `limit`; returns how many. */
export const forgetEvents = (tx: Sql, { crawl, id }: { crawl: number; id: string }, limit: number): Promise<number> =>
  count(tx)`
    delete from job_event where id in (
      select id from job_event where crawl = ${crawl} and job <> ${id} order by id limit ${limit})`;

/** Forgets the crawl itself: its id is unknown from then on. Throws CrawlBusy for a job that an older server made meanwhile. */
export async function forgetCrawl(
  tx: Sql,
  { crawl, crawlId, id }: { crawl: number; crawlId: string; id: string },
): Promise<void> {
  await tx.query(sql`select from crawl where id = ${crawl} for update`);
  const open = await openJobs(tx, crawl, id);
  if (open.length > 0) throw new CrawlBusy(crawlId, open);
  // Whoever asked for its counts meanwhile has them computed again, which writes them down.
  await tx.query(sql`delete from status_count where crawl = ${crawl}`);
  await tx.query(sql`delete from crawl where id = ${crawl}`);
  // The crawl without a name is there from the beginning.
  if (crawlId === '') await crawlNumber(tx, crawlId);
}
