/** The jobs that a crawl has made, oldest first, as the choice of its next step sees them (core/job/crawl-rounds.ts). */
import type { Child } from '../core/job/crawl-plan.js';
import { MAX_FRUITLESS, visitedBy } from '../core/job/crawl-visits.js';
import { type Fragment, type Sql, fragment, rows, sql } from '../db/sql.js';

/** Steps of each type that are always returned one by one: the next step depends on the last ones, on the last UPDATEDB above all. */
const MIN_SINGLE = 4;

/** Strict rounds whose steps are returned one by one: those that the next step looks at, and the current one. */
const STRICT_ROUNDS_KEPT = MAX_FRUITLESS + 2;

/** An UPDATEDB of a continuous crawl that leaves its batches open: all but the last one. */
export const keepsOpen = fragment`args ->> 'ofCrawl' is not distinct from 'fetched'`;
const selected = fragment`coalesce((result ->> 'generate.count')::int, 0)`;

/** A GENERATE or UPDATEDB of a continuous crawl that ended as expected: later steps need only its numbers. */
const endedAsExpected = fragment`
  state = 'FINISHED' and result ->> 'reason' is distinct from 'stopped'
    and (type = 'GENERATE' or type = 'UPDATEDB' and ${keepsOpen})`;

/** A step that a continuous crawl runs beside its FETCH, or after its end: no part of its rounds. */
const isBeside = fragment`(type in ('DEDUP', 'INDEX', 'CLEAN') and round > 0)`;

const childColumns = fragment`
  id, type, round, state, msg, result ->> 'reason' as reason, result ->> 'failure' as failure, result ->> 'generate.batch.id' as batch,
  ${selected} as selected, (${selected} > 0)::int as "selections",
  case when type = 'FETCH' then result #> '{counters,FetcherStatus}' end as visits,
  case when type = 'GENERATE' then result #> '{counters,Generator}' end as generated,
  coalesce((result #>> '{counters,Fetcher,unparsed}')::int, 0) as unparsed,
  ${keepsOpen} as "keepsOpen", created_at as "createdAt", ended_at as "endedAt", closed_at is not null as closed,
  backlog.low as "lowSince", backlog.dry as "drySince"`;

/** What the tasks of a running FETCH have reported about their backlog. */
const backlog = fragment`lateral (
  select max(low_since) as low, case when bool_and(state = 'DONE' or dry_since is not null) then max(dry_since) end as dry
    from job_task where job = job.id and job.type = 'FETCH' and job.ended_at is null) as backlog`;

/** All jobs of a crawl. */
export const allChildren = (db: Sql, id: string): Promise<Child[]> =>
  rows<Child>(db)`select ${childColumns} from job left join ${backlog} on true where parent = ${id} order by number`;

/**
 * The older steps of a crawl (its column `earlier_steps`), so that they are not read again for each next step: a crawl that finds
 * new pages all the time makes tens of thousands of steps a day.
 */
interface EarlierSteps {
  /** Number of the last job that they include. */
  until: number;
  /** How many of them are not plain. */
  breaks: number;
  /** Numbers of those that are still returned one by one. */
  single: number[];
  /** The others, joined by run: `round` is that of the last GENERATE, 0: none; `at` the end of the last one that selected pages. */
  runs: { run: number; number: number; round: number; selected: number; selections: number; at: string | null }[];
}

/** Steps beside FETCH that are returned: the next one depends on the last series of them. */
const BESIDE_KEPT = 6;

const field = (name: keyof EarlierSteps): Fragment => fragment`earlier_steps -> ${name}::text`;

/**
 * CTEs about the jobs of a crawl: `past`, its older steps; `beside`, the last steps beside FETCH; `aged`, the others after `past`, with the number of the run to which
 * each belongs (how many before it are not plain), and whether it is old: joined with others; `old`, all steps that are joined.
 */
const steps = (id: string): Fragment => fragment`
  past as materialized (
    select coalesce((${field('until')})::bigint, 0) as until, coalesce((${field('breaks')})::int, 0) as breaks,
           coalesce(${field('single')}, '[]') as single, coalesce(${field('runs')}, '[]') as runs,
           coalesce((plan -> 'continuous')::bool, false) as continuous
      from job where id = ${id}),
  child as (
    select number, type, round, ended_at, ${selected} as selected, ${endedAsExpected} as is_plain from job
     where parent = ${id} and number > (select until from past) and not ((select continuous from past) and ${isBeside})),
  beside as materialized (
    select number from job
     where (select continuous from past) and parent = ${id} and ${isBeside} order by number desc limit ${BESIDE_KEPT}),
  run as (
    select *, (select breaks from past) + count(*) filter (where not is_plain) over (order by number) as run from child),
  aged as materialized (
    select *, is_plain and row_number() over (partition by run, is_plain, type order by number desc) > ${MIN_SINGLE} as is_old from run),
  old as (
    select run, max(number) as number, max(round) as round, sum(selected) as selected, sum(selections) as selections, max(at) as at
      from (select run, number, case when type = 'GENERATE' then round else 0 end as round, selected,
                   (selected > 0)::int as selections, case when selected > 0 then ended_at end as at
              from aged where is_old
             union all
            select r.* from past cross join lateral jsonb_to_recordset(past.runs)
              as r (run bigint, number bigint, round int, selected bigint, selections int, at timestamptz)) as step
     group by run)`;

const earlierSingle = fragment`select n::bigint from past cross join lateral jsonb_array_elements_text(past.single) as n`;

/**
 * The jobs of a crawl, but runs of plain GENERATEs and UPDATEDBs as one GENERATE with the sum of their pages, except the last of
 * each run. A polite crawl of some days makes very many of them, and asks for its next step at the end of each.
 */
export const recentChildren = (db: Sql, id: string): Promise<Child[]> =>
  rows<Child>(db)`
    with ${steps(id)}, single as (
      select number, ${childColumns} from job left join ${backlog} on true
       where parent = ${id} and number = any (array(select number from aged where not is_old union all select number from beside union all ${earlierSingle}))),
    joined as (
      select number, '' as id, 'GENERATE' as type, round, 'FINISHED' as state, '' as msg,
             'done' as reason, null as failure, null as batch, selected::int as selected,
             selections::int as "selections", null::jsonb as visits, null::jsonb as generated, 0 as unparsed,
             false as "keepsOpen", at as "createdAt", at as "endedAt", false as closed, null::timestamptz as "lowSince",
             null::timestamptz as "drySince"
        from old)
    select * from (select * from single union all select * from joined) as child order by number`;

/** Stores the older steps of a crawl, whose row is locked: they are not read again. No step changes by that. */
export async function joinEarlierSteps(tx: Sql, id: string): Promise<void> {
  await tx.query(sql`
    with ${steps(id)}, edge as (
      select max(number) as until from aged where is_old)
    update job
       set earlier_steps = jsonb_build_object(
             'until', edge.until,
             'breaks', past.breaks + (select count(*) from aged where not is_plain and number <= edge.until),
             'single', (select coalesce(jsonb_agg(number), '[]')
                          from (select number from aged where not is_old and number <= edge.until
                                 union all ${earlierSingle}) as kept (number)),
             'runs', (select jsonb_agg(to_jsonb(old)) from old))
      from edge cross join past
     where job.id = ${id} and edge.until is not null`);
}

/**
 * The jobs of a crawl with strict rounds, but those of its joined rounds as two: a GENERATE of all pages that they have visited,
 * and the UPDATEDB that has closed it.
 */
export async function recentStrictChildren(db: Sql, id: string): Promise<Child[]> {
  const children = await recentChildren(db, id);
  const closing = { type: 'UPDATEDB', selected: 0, selections: 0 } as const;
  return children.flatMap((child) => (child.id === '' ? [child, { ...child, ...closing }] : child));
}

/**
 * Stores the older steps of a crawl with strict rounds, whose row is locked, in the same form: they are not read again. Their
 * rounds have ended, and only the sums over them have a part in any later step.
 * @param children as the last reading returned them
 * @param round the one that begins
 */
export async function joinStrictRounds(
  tx: Sql,
  id: string,
  { children, round }: { children: readonly Child[]; round: number },
): Promise<void> {
  const last = round - STRICT_ROUNDS_KEPT;
  const old = children.filter((child) => child.round <= last);
  const selections = old.reduce((sum, child) => sum + (child.type === 'GENERATE' ? child.selections : 0), 0);
  const joined = { run: 0, round: last, selected: visitedBy(old), selections, at: null };
  await tx.query(sql`
    with edge as (
      select max(number) as until from job
       where parent = ${id} and round <= ${last}
         and number > coalesce((select (${field('until')})::bigint from job where id = ${id}), 0))
    update job
       set earlier_steps = jsonb_build_object(
             'until', edge.until, 'breaks', 0, 'single', '[]'::jsonb,
             'runs', jsonb_build_array(${joined}::jsonb || jsonb_build_object('number', edge.until)))
      from edge
     where job.id = ${id} and edge.until is not null`);
}
