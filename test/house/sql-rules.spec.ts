import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { COPIED_TABLES, SPREAD_BY_CRAWL, SPREAD_TABLES } from '../../src/db/citus.js';
import { testDatabase } from '../support/database.js';
import { findingsOf } from './sql-rules.js';

/**
 * Tables of the coordinator: small, or read and locked in ways that need one node. `simhash_band` has no host, as near
 * contents are looked for across hosts; `pending_contribution` has rows of several hosts.
 */
const LOCAL_TABLES = [
  'conf_snapshot',
  'crawl_conf',
  'job',
  'job_event',
  'job_task',
  'migrations',
  'pending_contribution',
  'politeness',
  'request',
  'rule_file',
  'seed_list',
  'seed_url',
  'simhash_band',
  'status_count',
  'webhook',
  'webhook_delivery',
  'worker',
] as const;

beforeAll(() => loadModule());

describe('a statement over a table that grows with the web', () => {
  it.each([
    'select key from webpage where crawl = $1 and host = $2',
    'select key from webpage where crawl = $1 and host = any ($2::text[])',
    'select key from webpage where (host, key) > ($1, $2) order by host, key limit 9',
    `select host from host where crawl = $1 and (host || ':') > $2`,
    'select w.key from unnest($1::text[]) as k (host) join webpage w on w.crawl = $2 and w.host = k.host',
    'select w.key from webpage w join page_content p using (crawl, host, key) where w.host = $1',
    'select host, count(*) from webpage group by host',
    'delete from inlink i using unnest($1::text[]) as k (host) where i.host = k.host',
    'select key from webpage w where w.host = $1 and not exists (select 1 from fetch_history h where h.host = w.host)',
    'insert into host (crawl, host) values ($1, $2) on conflict (crawl, host) do update set domain = excluded.domain',
    'insert into webpage (crawl, host, key, fetch_time) select 1, host, key, now() from unnest($1::text[]) as s (host) on conflict do nothing',
    'update webpage set fetch_time = now() where host = $1',
    'select from webpage where crawl = $1 and host = $2 and key = any ($3::text[]) order by key for update',
    'select w.key from webpage w join unnest($1::text[]) as k (host) on w.host = k.host /* in order */ for update of w',
    'with webpage as (select 1 as one) select one from webpage',
    'select columns from search_segment where crawl = $1 and seg = any ($2::int[])',
    'select p.term from unnest($1::text[]) as w (term) join search_posting p on p.crawl = $2::int and p.term = w.term',
    'insert into search_doc (crawl, id, seg, doc) values ($1, $2, $3, $4) on conflict (crawl, id) do update set seg = excluded.seg',
    'select id from job_task where state = $1 for update skip locked',
    'declare c no scroll cursor for select key from webpage where host = $1',
    'with v as materialized (select host, k::text[] as keys from g) update page_content p set outlink_keys = v.keys from v where p.host = v.host',
  ])('may say: %s', (text) => expect(findingsOf(text)).toEqual({ broken: [], scanned: [] }));

  it.each([
    ['select count(*) from webpage', 'webpage'],
    ['select key from webpage where crawl = $1 and key = $2', 'webpage'],
    ['select key from webpage where host <> all ($1::text[])', 'webpage'],
    ['select w.key from webpage w join inlink i on i.key = w.key and i.host = $1', 'webpage'],
    ['update host set drain = true where crawl = $1', 'host'],
    ['delete from fetch_history_2026_11 where time < $1', 'fetch_history_2026_11'],
    ['select 1 where exists (select 1 from sitemap where url = $1)', 'sitemap'],
    ['declare c cursor for select key from webpage where rank is not null', 'webpage'],
    ['select seg from search_segment where seg = $1', 'search_segment'],
    ['select d.seg from search_doc d join crawl c on d.crawl = c.id where c.name = $1', 'search_doc'],
    ['delete from search_stored where crawl > $1', 'search_stored'],
    ['select 1 where exists (select 1 from search_posting p where p.term = $1)', 'search_posting'],
  ])('reads it without its host: %s', (text, table) => expect(findingsOf(text).scanned).toEqual([table]));

  it.each([
    ['select 1; select 2', 'several statements in one call'],
    [
      'merge into webpage w using s on w.host = s.host when matched then delete returning w.key',
      'PostgreSQL 15 cannot read it: syntax error at or near "returning"',
    ],
    ['insert into webpage (key) values ($1) on conflict (crawl, key) do nothing', 'ON CONFLICT without host'],
    ['insert into search_doc (id) values ($1) on conflict (id) do nothing', 'ON CONFLICT without crawl'],
    ['update webpage set host = $1 where host = $2', 'SET host'],
    ['update webpage set title = parse_args[1] where host = $1', 'SET with a subscript'],
    ['update host h set n_gone = m.n[3] from m where h.host = m.host', 'SET with a subscript'],
    [
      'update page_content p set outlink_keys = v.keys from (select host, v.keys::text[] as keys from v) as v where p.host = v.host',
      'UPDATE with an array made of a column',
    ],
    ['update webpage set score = random() where host = $1', 'SET with random()'],
    [
      'update webpage set rank = case when fetch_time <= now() then 1 end where host = $1',
      'SET with now() inside an expression',
    ],
    [`update webpage set fetch_time = w.fetch_time - $2::interval where host = $1`, 'SET with arithmetic on a time'],
    ['update webpage set fetch_time = current_timestamp + $2 where host = $1', 'SET with the clock'],
    [
      'update webpage set status = case score when 1 then 2 end where host = $1',
      'SET with CASE x WHEN, which is CASE WHEN x =',
    ],
    [
      'insert into robots (host) values ($1) on conflict (host, origin) do update set fetched_at = now()',
      'SET with now() inside an expression',
    ],
    ['select key from webpage where host = any ($1) for update', 'FOR UPDATE over several hosts without lockInOrder'],
    ['select key from webpage where host = $1 for update skip locked', 'SKIP LOCKED over a large table'],
    ['select key from webpage where host = $1 and ctid = $2', 'ctid of a large table'],
    [
      'select count(*) from (select from webpage where host = $1 limit 5) w',
      'a subquery without columns beside a large table',
    ],
    ['select exists (select from webpage where host = $1) as known', 'a subquery without columns beside a large table'],
    ['update webpage set metadata = jsonb_build_object($1, title) where host = $2', 'SET with jsonb_build_object()'],
    [
      'select w.key, p.text from unnest($1::text[]) as page (host) join webpage w on w.host = page.host left join page_content p on p.host = page.host',
      'LEFT JOIN of a large table to given rows',
    ],
    [
      'select n from (select page.host, count(*) as n from unnest($1::text[]) as page (host) join webpage w on w.host = page.host group by page.host) c',
      'a subquery that groups a large table by the host of given rows',
    ],
    [
      'select key from webpage where host = $1 and exists (select from job where id = $2)',
      'a subquery without columns beside a large table',
    ],
    [
      'select host, key from webpage where host = $1 group by grouping sets ((host), (key))',
      'GROUPING SETS over a large table',
    ],
    [
      'with recursive r as (select key from webpage where host = $1 union all select key from r) select key from r',
      'recursive CTE over a large table',
    ],
    [
      'select l.key from unnest($1::text[]) as h (host) cross join lateral (select key from webpage w where w.host = h.host limit 1) l',
      'LIMIT in LATERAL over a large table',
    ],
  ])('breaks a rule: %s', (text, rule) => expect(findingsOf(text).broken).toEqual([rule]));
});

describe('the tables', () => {
  it('are spread, copied or kept on the coordinator, each by name', async () => {
    const db = await testDatabase();
    const tables = await db.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
    );
    await db.drop();
    const named = new Set<string>([...SPREAD_TABLES, ...SPREAD_BY_CRAWL, ...COPIED_TABLES, ...LOCAL_TABLES]);
    expect(tables.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
  });
});
