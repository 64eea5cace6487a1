/** The batches that a CRAWL has made: which GENERATE made which, and those that a continuous CRAWL has not closed yet. */
import { type Fragment, type Sql, fragment, prepared, row, rows } from '../db/sql.js';
import { keepsOpen } from './crawl-children.sql.js';

/** The batch of a GENERATE; null without one. That of a GENERATE which was killed is in its plan only. */
export const batchOfGenerate = (step: Fragment) =>
  fragment`coalesce(${step}.result ->> 'generate.batch.id', ${step}.plan ->> 'batch')`;

/** More than any number of a job. */
const MAX_INT64 = '9223372036854775807';
/** Jobs that are read at once. */
const STEPS_AT_ONCE = 500;

export interface OpenBatches {
  /** Oldest first. */
  batches: OpenBatch[];
  /** The FETCH receives no further ones. */
  closed: boolean;
  /** Pages that were selected for further batches, whose jobs were deleted as no page waits in them; 0 with `after`. */
  deletedPages: number;
}

export interface OpenBatch {
  id: string;
  /** Pages that were selected for it. */
  pages: number;
  /** Number of its GENERATE. */
  number: number;
  /** Duration of its round: from the creation of the step before GENERATE to the end of GENERATE. */
  ms: number;
}

/** Pages of the joined steps of a CRAWL since its last closing UPDATEDB, without those of jobs that still exist (`made`). */
const deletedPages = (crawl: string) => fragment`
  select coalesce(sum((run ->> 'selected')::int), 0)::int
         - coalesce((select sum(pages)::int from made
                      where number <= (earlier_steps ->> 'until')::bigint and not earlier_steps -> 'single' @> to_jsonb(number)), 0)
    from job left join lateral jsonb_array_elements(earlier_steps -> 'runs') as run
      on (run ->> 'number')::bigint > (select number from closing)
   where id = ${crawl} group by earlier_steps`;

/**
 * The open batches of a CRAWL and whether its FETCH `id` receives no further ones.
 * @param after only those that were made after this one: a crawl of some days has thousands, and each task asks four times
 * a second
 */
export async function openBatches(
  db: Sql,
  { crawl, id, after = null }: { crawl: string; id: string; after?: number | null | undefined },
): Promise<OpenBatches> {
  const batches = await row<OpenBatches>(prepared(db))`
    with closing as (
      select coalesce(max(number), 0) as number from job
       where parent = ${crawl} and type = 'UPDATEDB' and state = 'FINISHED' and not (${keepsOpen})
    ), made as (
      select number, ended_at, result ->> 'generate.batch.id' as batch, (result ->> 'generate.count')::int as pages
        from job
       where parent = ${crawl} and type = 'GENERATE' and result ->> 'generate.batch.id' is not null
         and number > coalesce(${after}::bigint, (select number from closing)))
    select coalesce((select jsonb_agg(jsonb_build_object('id', batch, 'pages', pages, 'number', number, 'ms', round(1000 * extract(
                                        epoch from ended_at - (select before.created_at from job before
                                                                where before.parent = ${crawl} and before.number < made.number
                                                                order by before.number desc limit 1)))) order by number)
                       from made), '[]') as batches,
           closed_at is not null as closed,
           case when ${after}::bigint is null then (${deletedPages(crawl)}) else 0 end as "deletedPages"
      from job where id = ${id}`;
  return batches!;
}

/** A job of a crawl, as the search for its batches sees it. */
interface BatchMaker {
  number: string;
  batch: string | null;
  closes: boolean;
}

/**
 * Those of some batches that are open. Reads the jobs of the crawl from the newest back to the oldest of these batches: UPDATEDB
 * asks for batches with fetched pages, which are new ones.
 */
export async function openAmong(db: Sql, crawl: string, batches: readonly string[]): Promise<ReadonlySet<string>> {
  const remaining = new Set(batches);
  const stillOpen = new Set<string>();
  for (let before: string | null = null; remaining.size > 0;) {
    const makers: BatchMaker[] = await rows<BatchMaker>(prepared(db))`
      select number, result ->> 'generate.batch.id' as batch,
             type = 'UPDATEDB' and state = 'FINISHED' and not (${keepsOpen}) as closes
        from job where parent = ${crawl} and number < coalesce(${before}::bigint, ${MAX_INT64}::bigint)
       order by number desc limit ${STEPS_AT_ONCE}`;
    for (const { batch, closes } of makers) {
      if (closes) return stillOpen;
      if (batch !== null && remaining.delete(batch)) stillOpen.add(batch);
    }
    if (makers.length < STEPS_AT_ONCE) return stillOpen;
    before = makers.at(-1)!.number;
  }
  return stillOpen;
}
