/** The jobs that a crawl has made, oldest first, as the choice of its next step sees them (core/job/crawl-rounds.ts). */
import type { Child } from '../core/job/crawl-plan.js';
import { type Sql, fragment, rows } from '../db/sql.js';

/** Steps of a continuous crawl that are always returned one by one: the choice of the next step looks at the last few. */
const MIN_SINGLE = 8;

const keepsOpen = fragment`args ->> 'ofCrawl' is not distinct from 'fetched'`;
const selected = fragment`coalesce((result ->> 'generate.count')::int, 0)`;

/** A GENERATE or UPDATEDB of a continuous crawl that ended as expected: later steps need only its numbers. */
const isPlain = fragment`
  state = 'FINISHED' and result ->> 'reason' is distinct from 'stopped'
    and (type = 'GENERATE' or type = 'UPDATEDB' and ${keepsOpen})`;

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
 * The jobs of a crawl, but runs of plain GENERATEs and UPDATEDBs as one GENERATE with the sum of their pages, except the last of
 * each run. A polite crawl of some days makes thousands of them, and asks for its next step at the end of each.
 */
export const recentChildren = (db: Sql, id: string): Promise<Child[]> =>
  rows<Child>(db)`
    with child as (
      select number, type, round, ended_at, ${selected} as selected, ${isPlain} as is_plain from job where parent = ${id}),
    run as (
      select *, count(*) filter (where not is_plain) over (order by number) as run from child),
    aged as (
      select *, is_plain and row_number() over (partition by run, is_plain order by number desc) > ${MIN_SINGLE} as is_old from run),
    single as (
      select number, ${childColumns} from job left join ${backlog} on true
       where parent = ${id} and number = any (array(select number from aged where not is_old))),
    joined as (
      select max(number) as number, '' as id, 'GENERATE' as type, max(round) as round, 'FINISHED' as state, '' as msg,
             'done' as reason, null as failure, null as batch, sum(selected)::int as selected,
             count(*) filter (where selected > 0)::int as "selections", null::jsonb as visits, null::jsonb as generated, 0 as unparsed,
             false as "keepsOpen", max(ended_at) filter (where selected > 0) as "createdAt",
             max(ended_at) filter (where selected > 0) as "endedAt", false as closed, null::timestamptz as "lowSince",
             null::timestamptz as "drySince"
        from aged where is_old group by run)
    select * from (select * from single union all select * from joined) as child order by number`;
