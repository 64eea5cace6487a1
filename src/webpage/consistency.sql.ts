/**
 * Rules that always hold for the tables of a crawl, as statements that count violations, and statements that
 * repair them: they recompute, clear, or delete. The steps never break them; rows that were changed by hand, or lost
 * with a disk, may.
 * Each statement reads whole tables: it is for an operator, not for a schedule. Crawls with open jobs are left out, as
 * their changes may be incomplete.
 */
import type { Pool } from 'pg';
import { type Fragment, type Statement, count, fragment, joined, row, rows, sql, transaction } from '../db/sql.js';
import { forEachStatus, hostCountColumns } from './host-pages.sql.js';
import { recountAll } from './status-count.store.js';

/** A rule that is broken: the number of rows, and one of them. */
export interface Finding {
  rule: string;
  rows: number;
  example: string;
  /** What was done about it, such as `1 deleted`; undefined without a repair. */
  repaired?: string;
}

interface ConsistencyRule {
  readonly message: string;
  /** Returns `n` and `example`. */
  readonly find: Statement;
  /** Sent before the repair. */
  readonly before?: Statement;
  readonly repair: Statement;
  /** What the repair does to the rows, which may be gone after it. */
  readonly done: string;
}

/** Crawls without an open job, which is one without an end (`job_end`). */
const idle = fragment`(select c.id from crawl c
  where not exists (select 1 from job j where j.crawl = c.id and j.ended_at is null))`;

const noUrl = fragment`w.key !~ '^([^:/]+:(https?|ftp)(:[0-9]+)?|:file)/'`;
const noObject = fragment`jsonb_typeof(w.metadata) <> 'object'`;
const unknownBatch = fragment`w.generate_mark is not null
  and not exists (select 1 from batch b where b.crawl = w.crawl and b.id = w.generate_mark)`;

const TIMES = [
  fragment`prev_fetch_time`,
  fragment`modified_time`,
  fragment`prev_modified_time`,
  fragment`last_modified`,
  fragment`last_inlink`,
];
const infinite = (column: Fragment) => fragment`w.${column} in ('infinity', '-infinity')`;
const anyInfinite = joined([fragment`fetch_time`, ...TIMES].map(infinite), ' or ');
const SCORES = [fragment`score`, fragment`cash`, fragment`spend`, fragment`history`, fragment`content_score`];
const noNumber = (column: Fragment) => fragment`w.${column} in ('NaN', 'Infinity', '-Infinity')`;
const anyNoNumber = joined(SCORES.map(noNumber), ' or ');

const withoutPage = fragment`not exists (select 1 from webpage w where w.crawl = p.crawl and w.host = p.host and w.key = p.key)`;

/** The numbers of pages of a host as counted in its pages, and as kept in its row. */
const counted = fragment`
  select w.crawl, w.host,
         array[${forEachStatus((_, code) => fragment`count(*) filter (where status = ${code})`)}] as n
    from webpage w group by w.crawl, w.host`;
const kept = fragment`array[${hostCountColumns}]::bigint[]`;
const miscounted = fragment`
  select h.crawl, h.host, coalesce(counted.n, array_fill(0::bigint, array[10])) as n
    from host h left join (${counted}) counted on counted.crawl = h.crawl and counted.host = h.host
   where h.crawl in ${idle} and ${kept} <> coalesce(counted.n, array_fill(0::bigint, array[10]))`;

/**
 * In this order: rows deleted by one rule are not counted by the next. An inlink needs no page: INVERTLINKS keeps those of
 * targets that were never added, and UPDATEDB writes some before the page.
 */
const RULES: readonly ConsistencyRule[] = [
  {
    message: 'pages whose key is no URL',
    find: sql`select count(*)::int as n, min(w.key) as example from webpage w where w.crawl in ${idle} and ${noUrl}`,
    before: sql`
      insert into removed_document (crawl, host, key)
      select w.crawl, w.host, w.key from webpage w where w.crawl in ${idle} and ${noUrl} and w.index_mark is not null
      on conflict (crawl, host, key) do nothing`,
    repair: sql`delete from webpage w where w.crawl in ${idle} and ${noUrl}`,
    done: 'deleted',
  },
  {
    message: 'pages whose metadata is no object',
    find: sql`select count(*)::int as n, min(w.key) as example from webpage w where w.crawl in ${idle} and ${noObject}`,
    repair: sql`update webpage w set metadata = null where w.crawl in ${idle} and ${noObject}`,
    done: 'emptied of it',
  },
  {
    message: 'pages with infinite times',
    find: sql`select count(*)::int as n, min(w.key) as example from webpage w where w.crawl in ${idle} and (${anyInfinite})`,
    // The clock as a value of a row: SET takes it only bare (docs/distributed.md).
    repair: sql`
      with clock as materialized (select now() as at)
      update webpage w
         set fetch_time = case when ${infinite(fragment`fetch_time`)} then clock.at else w.fetch_time end,
             ${joined(
               TIMES.map((time) => fragment`${time} = case when ${infinite(time)} then null else w.${time} end`),
               ', ',
             )}
        from clock
       where w.crawl in ${idle} and (${anyInfinite})`,
    done: 'emptied of them, or due now',
  },
  {
    message: 'pages with scores that are infinite or NaN',
    find: sql`select count(*)::int as n, min(w.key) as example from webpage w where w.crawl in ${idle} and (${anyNoNumber})`,
    // The next GENERATE ranks those that are due by their new scores.
    repair: sql`
      update webpage w
         set ${joined(
           SCORES.map((score) => fragment`${score} = case when ${noNumber(score)} then 0 else w.${score} end`),
           ', ',
         )},
             rank = null
       where w.crawl in ${idle} and (${anyNoNumber})`,
    done: 'set to 0',
  },
  {
    message: 'pages in batches that nobody generated',
    find: sql`select count(*)::int as n, min(w.generate_mark) as example from webpage w where w.crawl in ${idle} and ${unknownBatch}`,
    // They become waiting again, with their cash: the next GENERATE finds those that are due.
    repair: sql`
      update webpage w
         set generate_mark = null, fetch_mark = null, parse_mark = null, rank = null, cash = cash + coalesce(spend, 0),
             spend = null, spend_distance = null
       where w.crawl in ${idle} and ${unknownBatch}`,
    done: 'taken out',
  },
  {
    message: 'contents without a page',
    find: sql`select count(*)::int as n, min(p.key) as example from page_content p where p.crawl in ${idle} and ${withoutPage}`,
    repair: sql`delete from page_content p where p.crawl in ${idle} and ${withoutPage}`,
    done: 'deleted',
  },
  {
    message: 'hosts whose numbers of pages are wrong',
    find: sql`select count(*)::int as n, min(counted.host) as example from (${miscounted}) counted`,
    // The array is divided in a subquery, as SET takes no subscripts (docs/distributed.md).
    repair: sql`
      update host h
         set ${forEachStatus((column) => fragment`${column} = counted.${column}`)}
        from (select crawl, host, ${forEachStatus((column, _, index) => fragment`n[${index}] as ${column}`)}
                from (${miscounted}) wrong) counted
       where h.crawl = counted.crawl and h.host = counted.host`,
    done: 'counted again',
  },
];

/** Checks all rules; with `repair` also repairs those that are broken, each in a transaction. */
export async function checkConsistency(pool: Pool, { repair }: { repair: boolean }): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { message, find, done, ...statements } of RULES) {
    const broken = (await row<{ n: number; example: string | null }>(pool, find))!;
    if (broken.n === 0) continue;
    const repaired = repair ? { repaired: `${await act(pool, statements)} ${done}` } : {};
    findings.push({ rule: message, rows: broken.n, example: broken.example ?? '', ...repaired });
  }
  if (repair && findings.length > 0) await recountAll(pool);
  return findings;
}

const act = (pool: Pool, { before, repair }: Pick<ConsistencyRule, 'before' | 'repair'>): Promise<number> =>
  transaction(pool, async (tx) => {
    if (before) await tx.query(before);
    return count(tx, repair);
  });

/** The crawls with jobs that have not ended: a repair leaves them out. */
export async function busyCrawls(pool: Pool): Promise<string[]> {
  const busy = await rows<{ name: string }>(pool)`select name from crawl where id not in ${idle} order by name`;
  return busy.map(({ name }) => name);
}
