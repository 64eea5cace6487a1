/**
 * Deletes jobs that ended long ago. A step stays as long as the job of its crawl: the next step is chosen by the steps before
 * it, and the next run of the crawl by the batches that they have left open. A crawl may run for years: of its steps those that
 * are joined (`earlier_steps`) and whose batch has no pages left are deleted before it. A CRAWL that has left a batch open stays
 * until that is closed.
 */
import type { Pool } from 'pg';
import type { JobType } from '../core/job/job-types.js';
import { type Sql, count, fragment, rows } from '../db/sql.js';
import { isAnyOpen, openBatchesAmong } from '../webpage/batch.store.js';
import { batchOfGenerate } from './crawl-batches.sql.js';
import { OPEN } from './states.sql.js';

/** Jobs that one statement deletes. */
const AT_ONCE = 500;

const daysAgo = (days: number) => fragment`now() - make_interval(days => ${days})`;

/** Deletes jobs that ended before so many days, in chunks; returns their number. */
export async function purgeJobs(pool: Pool, days: number): Promise<number> {
  let deleted = 0;
  for (const crawl of await openCrawls(pool)) deleted += await purgeSteps(pool, crawl, days);
  for (let after: string | undefined = '0'; after !== undefined;) {
    const ended: EndedJob[] = await rows<EndedJob>(pool)`
      select id, number, type, crawl from job
       where parent is null and ended_at < ${daysAgo(days)} and number > ${after} order by number limit ${AT_ONCE}`;
    const ids: string[] = [];
    for (const job of ended) if (job.type !== 'CRAWL' || !(await hasLeftPages(pool, job))) ids.push(job.id);
    for (let steps = AT_ONCE; steps === AT_ONCE; deleted += steps)
      steps = await count(pool)`
        delete from job where id in (
          select id from job where parent = any (${ids}::text[]) order by number limit ${AT_ONCE})`;
    deleted += await count(pool)`delete from job where id = any (${ids}::text[])`;
    after = ended.length === AT_ONCE ? ended.at(-1)!.number : undefined;
  }
  return deleted;
}

/** A job without a parent that ended long ago. */
interface EndedJob {
  id: string;
  number: string;
  type: JobType;
  crawl: number;
}

/** Whether pages wait in a batch of an ended CRAWL: the next one finds that batch by the steps of this one. */
async function hasLeftPages(pool: Pool, { id, crawl }: EndedJob): Promise<boolean> {
  const made = await rows<{ batch: string | null }>(pool)`
    select ${batchOfGenerate(fragment`step`)} as batch from job step where parent = ${id} and type = 'GENERATE'`;
  return isAnyOpen(
    pool,
    crawl,
    made.flatMap(({ batch }) => batch ?? []),
  );
}

/** A crawl that goes on. */
interface OpenCrawl {
  id: string;
  crawl: number;
  /** Number of the last step that is joined. */
  until: string;
}

/** The crawls that have joined steps. */
const openCrawls = (db: Sql): Promise<OpenCrawl[]> =>
  rows<OpenCrawl>(db)`
    select id, crawl, (earlier_steps ->> 'until')::bigint as until
      from job
     where state in ${OPEN} and type = 'CRAWL' and earlier_steps is not null
     order by number`;

interface OldStep {
  id: string;
  number: string;
  batch: string | null;
  /** Whether it ended long ago. */
  old: boolean;
  /** Whether the choice of the next step, or the sum of counters, reads it: a FETCH, for one. */
  used: boolean;
}

/** Deletes steps of a crawl from the oldest one on. */
async function purgeSteps(pool: Pool, { id, crawl, until }: OpenCrawl, days: number): Promise<number> {
  let deleted = 0;
  for (let after: string | undefined = '0'; after !== undefined;) {
    const steps: OldStep[] = await rows<OldStep>(pool)`
      select step.id, step.number, step.result ->> 'generate.batch.id' as batch,
             coalesce(step.ended_at < ${daysAgo(days)}, false) as old,
             not step.counted or crawl.earlier_steps -> 'single' @> to_jsonb(step.number) as used
        from job crawl join job step on step.parent = crawl.id
       where crawl.id = ${id} and step.parent = ${id} and step.number > ${after} and step.number <= ${until}
       order by step.number limit ${AT_ONCE}`;
    const old = steps.filter((step) => step.old && !step.used);
    const batches = old.flatMap(({ batch }) => batch ?? []);
    const open = new Set(await openBatchesAmong(pool, crawl, batches));
    const free = old.filter(({ batch }) => batch === null || !open.has(batch));
    deleted += await count(pool)`delete from job where id = any (${free.map((step) => step.id)}::text[])`;
    // The others end in their order: none after one that did not end long ago is old.
    const isMore = steps.length === AT_ONCE && steps.every((step) => step.old || step.used);
    after = isMore ? steps.at(-1)!.number : undefined;
  }
  return deleted;
}
