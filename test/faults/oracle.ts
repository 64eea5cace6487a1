/**
 * Invariants of a crawl under any faults: it ends with the rows of an undisturbed crawl of the same web, and some conditions
 * hold at any moment. All of them are SQL queries that return complaints; no rows, no complaint.
 */
import type { FleetQuery } from './chaos-fleet.js';
import { INDEX_TABLES } from './chaos-searches.js';

/** One line for each complaint. */
export type Complaints = string[];

interface Check {
  name: string;
  /** Returns rows with a column `what`; $1 is the crawl, $2 the undisturbed one. */
  statement: string;
}

/** Differences of two crawls in a table: rows of one that are missing in the other, by these columns. */
const differing = (table: string, columns: string, condition = 'true'): string => {
  const rows = (crawl: string) => `select ${columns} from ${table} where crawl = ${crawl} and ${condition}`;
  return `select 'lost or other: ' || left(to_jsonb(x)::text, 400) as what from (${rows('$2')} except all ${rows('$1')}) x
          union all
          select 'too many or other: ' || left(to_jsonb(x)::text, 400) from (${rows('$1')} except all ${rows('$2')}) x limit 10`;
};

const apart = (table: string, key: string, column: string): string =>
  `select format('%s of %s is %s, undisturbed %s', '${column}', a.key, a.${column}, b.${column}) as what
     from ${table} a join ${table} b using (${key}) where a.crawl = $1 and b.crawl = $2 and abs(a.${column} - b.${column}) > 1e-6 limit 5`;

const pages = (status: string): Check => ({
  name: 'pages',
  statement: differing(
    'webpage',
    `key, ${status}, source_kind, retries_since_fetch, fetch_interval, protocol_code, http_status, signature, title,
     generate_mark is null and fetch_mark is null and parse_mark is null as closed, update_mark is not null as updated`,
  ),
});

/** Equal to the undisturbed crawl. */
const EQUAL: readonly Check[] = [
  {
    name: 'contents and outlinks',
    statement: differing('page_content', 'key, content_length, text_length, outlink_keys, outlink_anchors'),
  },
  { name: 'inlinks', statement: differing('inlink', 'key, source, anchor') },
];

/** Equal to the undisturbed crawl if neither runs DEDUP. */
const EQUAL_WITH_COPIES: readonly Check[] = [
  pages('status'),
  {
    name: 'hosts',
    statement: differing(
      'host',
      'host, n_unfetched, n_fetched, n_gone, n_redir_temp, n_redir_perm, n_retry, n_parse_failed',
    ),
  },
];

/** Of copies one stays, whichever has the better score: as in the undisturbed crawl only in number. */
const EQUAL_BUT_FOR_COPIES: readonly Check[] = [
  pages('case status when 7 then 2 else status end as status'),
  {
    name: 'one of the pages of a signature stays',
    statement: `select format('%s: %s of %s', signature, count(*) filter (where status <> 7), count(*)) as what
       from webpage where crawl = $1 and signature is not null and status in (2, 6, 7)
      group by signature having count(*) filter (where status <> 7) <> 1 limit 5`,
  },
  {
    name: 'duplicates are not in the index',
    statement: `select key as what from webpage where crawl = $1 and status = 7 and index_mark is not null limit 5`,
  },
  {
    name: 'nothing waits for DEDUP',
    statement: `select format('%s contents', count(*)) as what from signature_due where crawl = $1 having count(*) > 0`,
  },
];

/** Equal to the undisturbed crawl when pages are visited in its order, as in strict rounds. */
const EQUAL_IN_ORDER: readonly Check[] = [
  { name: 'distances', statement: differing('webpage', 'key, distance') },
  { name: 'scores', statement: apart('webpage', 'key', 'score') },
  { name: 'cash', statement: apart('webpage', 'key', 'cash') },
];

/** Invariants of scores in any order: cash is passed on, none is created or lost. */
const EQUAL_IN_SUM: readonly Check[] = [
  {
    name: 'all cash',
    statement: `select format('%s, undisturbed %s', one.cash, other.cash) as what
       from (select sum(cash) as cash from webpage where crawl = $1) one, (select sum(cash) as cash from webpage where crawl = $2) other
      where abs(one.cash - other.cash) > 1e-6 * other.cash`,
  },
  {
    name: 'a score is the cash that came, so it is no less than what is left of it',
    statement: `select format('%s: score %s, cash %s', key, score, cash) as what from webpage where crawl = $1 and cash > score + 1e-6 limit 5`,
  },
];

/** True at the end of any crawl. */
const WHOLE: readonly Check[] = [
  {
    name: 'open marks',
    statement: `select key as what from webpage where crawl = $1 and (generate_mark is not null or fetch_mark is not null or parse_mark is not null) limit 5`,
  },
  {
    name: 'no share is on its way',
    statement: `select format('%s keys', cardinality(keys)) as what from pending_contribution where crawl = $1 limit 5`,
  },
  {
    name: 'a visit is written once',
    statement: `select format('%s: %s visits', key, count(*)) as what from fetch_history where crawl = $1 group by key having count(*) > 1 limit 5`,
  },
  {
    name: 'hosts count their pages',
    statement: `select format('%s: unfetched %s, counted %s; fetched %s, counted %s', h.host, count(*) filter (where w.status = 1), h.n_unfetched,
                       count(*) filter (where w.status = 2), h.n_fetched) as what
       from host h join webpage w on w.crawl = h.crawl and w.host = h.host where h.crawl = $1
      group by h.host, h.n_unfetched, h.n_fetched
     having count(*) filter (where w.status = 1) <> h.n_unfetched or count(*) filter (where w.status = 2) <> h.n_fetched limit 5`,
  },
  {
    name: 'counters are the rows',
    statement: `
      with counted as (
        select c.key as name, sum(c.value::bigint) as n
          from job j join job_task t on t.job = j.id cross join lateral jsonb_each_text(t.counters -> 'FetcherStatus') c
         where j.crawl = $1 and j.type = 'FETCH' and c.key <> 'bytes_downloaded' group by c.key
      ), made as (
        select coalesce(sum((t.counters -> 'Generator' ->> 'GENERATE_MARK')::bigint), 0) as n
          from job j join job_task t on t.job = j.id where j.crawl = $1 and j.type = 'GENERATE'
      ), closed as (
        select coalesce(sum(c.value::bigint), 0) as n
          from job j join job_task t on t.job = j.id cross join lateral jsonb_each_text(t.counters -> 'UpdateDb') c
         where j.crawl = $1 and j.type = 'UPDATEDB' and c.key not in ('urls_added', 'links_not_followed', 'not_parsed')
      ), visited as (select count(*) as n from fetch_history where crawl = $1)
      select format('generated %s, fetched by counters %s, updated %s, visits %s', made.n, f.n, closed.n, visited.n) as what
        from made, closed, visited, (select coalesce(sum(n), 0) as n from counted) f
       where made.n <> f.n or made.n <> closed.n or made.n <> visited.n`,
  },
  {
    name: 'each step of each round was made once, and each task ended once',
    statement: `
      select format('%s of round %s: %s', type, round, count(*)) as what from job
       where crawl = $1 and parent is not null group by type, round having count(*) > 1
      union all
      select format('part %s of %s ended %s times', data ->> 'part', e.job, count(*)) from job_event e join job j on j.id = e.job
       where j.crawl = $1 and e.kind = 'task' and e.data ->> 'state' = 'DONE' group by e.job, data ->> 'part' having count(*) > 1
      union all
      select format('part %s of %s: token %s given %s times', data ->> 'part', e.job, data ->> 'token', count(*))
        from job_event e join job j on j.id = e.job
       where j.crawl = $1 and e.kind = 'task' and e.data ->> 'state' = 'RUNNING'
       group by e.job, data ->> 'part', data ->> 'token' having count(*) > 1
      union all
      select format('task %s of %s is %s', t.id, t.job, t.state) from job_task t join job j on j.id = t.job
       where j.crawl = $1 and t.state <> 'DONE'`,
  },
];

/** True at any moment. */
const STANDING: readonly Check[] = [
  {
    name: 'a fetched page has content or a reason',
    statement: `select w.key as what from webpage w left join page_content p using (crawl, host, key)
       where w.crawl = $1 and w.status in (2, 3, 4, 5, 9, 34) and w.fetch_mark is not null
         and p.key is null and w.protocol_code is null limit 5`,
  },
  {
    name: 'a page that PARSE has read has text and outlinks',
    statement: `select w.key as what from webpage w left join page_content p using (crawl, host, key)
       where w.crawl = $1 and w.parse_mark is not null and w.parse_major = 1 and (p.key is null or p.text_length is null) limit 5`,
  },
  {
    name: 'a page in a batch is in one that was made',
    statement: `select w.key as what from webpage w where w.crawl = $1 and w.generate_mark is not null
         and not exists (select from batch b where b.crawl = w.crawl and b.id = w.generate_mark) limit 5`,
  },
  {
    name: 'a task that runs has a lease that lasts or is due for reclaim',
    statement: `select format('task %s of %s by %s, overdue since %s, now %s; transactions: %s', t.id, t.job, t.owner, t.lease_until, now(), (
             select string_agg(format('%s of %s, %s since %s, waits for %s: %s', pid, application_name, state, state_change, wait_event,
                                      left(regexp_replace(query, '\\s+', ' ', 'g'), 120)), '; ' order by xact_start)
               from pg_stat_activity where datname = current_database() and xact_start < now() - interval '3 seconds')) as what
        from job_task t join job j on j.id = t.job
       where j.crawl = $1 and t.state = 'RUNNING' and t.lease_until < now() - interval '25 seconds'`,
  },
  {
    name: 'a job that has ended has no task that runs for long',
    statement: `select j.id as what from job j join job_task t on t.job = j.id
       where j.crawl = $1 and j.state in ('FINISHED') and t.state <> 'DONE'`,
  },
  {
    name: 'one job of a crawl and step holds its lock',
    statement: `select lock_key as what from job where crawl = $1 and lock_key is not null and state in ('RUNNING', 'STOPPING', 'KILLING')
      group by lock_key having count(*) > 1`,
  },
  {
    name: 'jobs move along the arrows',
    statement: `select format('%s: %s to %s', job, state_before, state_after) as what from moves where (state_before, state_after) not in (
      ('IDLE', 'RUNNING'), ('IDLE', 'KILLED'), ('RUNNING', 'FINISHED'), ('RUNNING', 'FAILED'), ('RUNNING', 'STOPPING'), ('RUNNING', 'KILLING'),
      ('STOPPING', 'FINISHED'), ('STOPPING', 'FAILED'), ('STOPPING', 'KILLING'), ('KILLING', 'KILLED')) and $1 = $1`,
  },
];

/** Records each state change of a job, for `standing`. */
export async function watchMoves(query: FleetQuery): Promise<void> {
  await query('create table moves (job text, state_before text, state_after text)');
  await query(`create function note_move() returns trigger language plpgsql as $$
    begin insert into moves values (new.id, old.state, new.state); return new; end $$`);
  await query(`create trigger note_move after update of state on job for each row
    when (old.state <> new.state) execute function note_move()`);
}

/** Violations of the invariants of a running crawl. */
export const standing = (query: FleetQuery, crawl: number): Promise<Complaints> => ask(query, STANDING, [crawl]);

/**
 * Violations of the invariants of a crawl that has ended.
 * @param undisturbed an undisturbed one of the same web, in strict rounds
 * @param inOrder whether this one visits pages in the order of strict rounds
 * @param dedup whether both run DEDUP
 */
export async function verdict(
  query: FleetQuery,
  crawl: number,
  { undisturbed, inOrder, dedup = false }: { undisturbed: number; inOrder: boolean; dedup?: boolean },
): Promise<Complaints> {
  const copies = dedup ? EQUAL_BUT_FOR_COPIES : EQUAL_WITH_COPIES;
  const equal = [...EQUAL, ...copies, ...(inOrder ? EQUAL_IN_ORDER : EQUAL_IN_SUM)];
  return [...(await ask(query, WHOLE, [crawl])), ...(await ask(query, equal, [crawl, undisturbed]))];
}

async function ask(query: FleetQuery, checks: readonly Check[], crawls: number[]): Promise<Complaints> {
  const complaints: Complaints = [];
  for (const { name, statement } of checks) {
    const values = /\$2/.test(statement) ? crawls : crawls.slice(0, 1);
    for (const { what } of await query<{ what: string }>(statement, values)) complaints.push(`${name}: ${what}`);
  }
  return complaints;
}

/** Deletes all rows of a crawl. */
export async function forget(query: FleetQuery, crawl: number): Promise<void> {
  await query('delete from job_event where job in (select id from job where crawl = $1)', [crawl]);
  for (const table of [
    'job',
    'webpage',
    'page_content',
    'inlink',
    'host',
    'fetch_history',
    'batch',
    'pending_contribution',
    'signature_due',
    ...INDEX_TABLES,
  ])
    await query(`delete from ${table} where crawl = $1`, [crawl]);
  await query('truncate moves');
}
