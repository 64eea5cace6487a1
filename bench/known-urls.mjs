/**
 * Fills the web table of crawl `bench` with N known URLs, in SQL: URLs of about 80 characters on N / 100 hosts of skewed
 * sizes; half of them unfetched and selectable, half fetched and not due. Indexes are created afterwards, as in a restore.
 */
const INDEXES = `select indexname, indexdef from pg_indexes where tablename = 'webpage' and indexname <> 'webpage_pkey'`;

/** Number of ranges of row keys that are loaded at once. */
const LOADERS = 2;

/** Row key number i of N: neighbours share a host, the first hosts are small, the last ones large. */
const KEY_OF = `create or replace function bench_key(i bigint, n bigint) returns text language sql immutable parallel safe as $$
  select 'com.site' || lpad(floor((n / 100) * power(1 - i::float8 / n, 2))::bigint::text, 7, '0') || '.www:https/'
         || 'section-' || (i % 97) || '/article-about-something-' || lpad(i::text, 12, '0') || '.html' $$`;

export async function fillKnownUrls(pool, n) {
  await pool.query(`insert into crawl (name) values ('bench') on conflict do nothing`);
  await pool.query(KEY_OF);
  await pool.query('truncate webpage, page_content, inlink, host, status_count');
  await pool.query('update crawl set stats = null, stats_time = null');
  const { rows: indexes } = await pool.query(INDEXES);
  for (const { indexname } of indexes) await pool.query(`drop index ${indexname}`);
  await pool.query('alter table webpage drop constraint webpage_pkey');
  const ranges = Array.from({ length: LOADERS }, (_, i) => [i, i + 1].map((at) => Math.floor((n * at) / LOADERS)));
  const load = ([from, to]) =>
    pool.query(
      `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, rank, distance, source_kind)
     select (select id from crawl where name = 'bench'), split_part(key, ':', 1), key,
            case when due then 1 else 2 end, case when due then now() else now() + make_interval(secs => 86400 + i % 2500000) end,
            2592000, score, score, case when due then (ln(score) * 16777216)::int end, 3, 'link'
       from (select i, bench_key(i, $1) as key, exp(2 * random() + random() * 2 - 4) as score, random() < 0.5 as due
               from generate_series($2::bigint, $3::bigint - 1) i) made`,
      [n, from, to],
    );
  await Promise.all(ranges.map(load));
  await pool.query(
    `insert into host (crawl, host, domain, n_unfetched, n_fetched)
     select crawl, host, regexp_replace(host, '\\.www$', ''), count(*) filter (where status = 1), count(*) filter (where status = 2)
       from webpage group by 1, 2, 3`,
  );
  const client = await pool.connect();
  try {
    await client.query(`set maintenance_work_mem = '1GB'`);
    await client.query('alter table webpage add constraint webpage_pkey primary key (crawl, host, key_hash)');
    for (const { indexdef } of indexes) await client.query(indexdef);
    await client.query('vacuum (analyze) webpage, host');
    await client.query('checkpoint');
  } finally {
    client.release();
  }
}

/**
 * Gives every page of a batch 26 outlinks, 80 % of them known, and the marks of FETCH and PARSE. The first `navigation` of them
 * are shared by twenty neighbouring pages, or by all pages of the host (`ofHost`), like menus. About a fifth of the other links
 * lead to other hosts.
 */
export async function fetchBatch(pool, batch, n, { navigation = 0, ofHost = false } = {}) {
  await pool.query(
    `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
     select crawl, host, key,
            (select array_agg(distinct case when k <= $3::int then bench_key((case when $4::bool then first else at - at % 20 end + k) % n, n) when k % 5 = 4
                       then host || ':https/new/page-that-nobody-knows-yet-' || md5(key || k) || '.html'
                       else bench_key((n + at + k - 13 + case when k % 6 = 0 then (n * abs(hashtext(key || k))::bigint / 2147483648) else 0 end) % n, n) end)
               from generate_series(1, 26) k),
            array_fill('an anchor text'::text, array[26])
       from (select crawl, host, key, $2::bigint as n, substring(key from '(\\d{12})')::bigint as at,
                   -- The first page of the host, by the way in which the keys are made.
                   ceil($2::bigint * (1 - sqrt((substring(host from '\\d{7}')::bigint + 1) * 100.0 / $2::bigint)))::bigint as first
               from webpage where crawl = (select id from crawl where name = 'bench') and generate_mark = $1) page
     on conflict (crawl, host, key) do update set outlink_keys = excluded.outlink_keys`,
    [batch, n, navigation, ofHost],
  );
  await pool.query(
    `update page_content set outlink_anchors = outlink_anchors[1:cardinality(outlink_keys)]
      where cardinality(outlink_anchors) <> cardinality(outlink_keys)`,
  );
  await pool.query(
    `update webpage set status = 2, prev_fetch_time = fetch_time, fetch_time = now(), fetch_mark = generate_mark,
            parse_mark = generate_mark, signature = md5(key)
      where crawl = (select id from crawl where name = 'bench') and generate_mark = $1`,
    [batch],
  );
  await pool.query('analyze webpage');
  await pool.query('analyze page_content');
}
