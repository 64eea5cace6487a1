/**
 * `npm run bench:rank [-- pages [links]]`: LINKRANK, PAGERANK, HITS and SCOREUPDATE of a crawl with that many pages, and links
 * per page; default 1,000,000 and 20. Half of the links lead to one page in a hundred, as on the web. A host has twenty pages.
 */
import { loadavg } from 'node:os';
import { usage } from './cpu.mjs';
import { openBench, table, where } from './database.mjs';

const [pages, links] = [process.argv[2] ?? 1_000_000, process.argv[3] ?? 20].map(Number);
const PAGES_OF_HOST = 20;
const bench = await openBench();
const lines = [];

/** Pages 0 to n - 1; neighbours share a host. */
async function fill(pool) {
  await pool.query(`insert into crawl (name) values ('bench')`);
  await pool.query(`create function page_key(n bigint) returns text immutable parallel safe language sql return
    'test.h' || n / ${PAGES_OF_HOST} || ':http/docs/page-' || n`);
  await pool.query(`insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, retries_since_fetch, score, cash, distance, source_kind, rank)
    select c.id, split_part(page_key(n), ':', 1), page_key(n), 2, now(), 1, 0, 1, 0, 0, 'seed', 0
      from crawl c, generate_series(0, ${pages - 1}) n where c.name = 'bench'`);
  await pool.query(`insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
    select w.crawl, w.host, w.key, l.keys, array_fill('a link'::text, array[${links}])
      from webpage w cross join lateral (
        select array_agg(page_key(case when i % 2 = 0 then floor(random() * ${pages})::bigint
                                       else floor(random() * ${Math.ceil(pages / 100)})::bigint * 100 end)) as keys
          from generate_series(1, ${links}) i where w.key is not null) l`);
  await pool.query('vacuum analyze webpage, page_content');
  await pool.query('checkpoint');
}

try {
  const loading = performance.now();
  await fill(bench.pool);
  console.error(`loaded in ${Math.round((performance.now() - loading) / 1000)} s`);
  const conf = { 'link.ignore.limit.domain': 'false' };
  for (const type of ['LINKRANK', 'PAGERANK', 'HITS', 'SCOREUPDATE']) {
    const [load, before] = [loadavg()[0], usage(process.pid)];
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 100);
    const job = await bench.run(type, {}, conf);
    clearInterval(watch);
    const after = usage(process.pid);
    console.error(type, job.seconds, job.msg, JSON.stringify(job.result.counters));
    const seconds = (what) => (after[what] - before[what]).toFixed(1);
    lines.push([
      type,
      job.seconds.toFixed(1),
      seconds('node'),
      seconds('postgres'),
      Math.round(peak / 2 ** 20),
      load.toFixed(1),
    ]);
  }
} finally {
  await bench.close();
}
console.log(`${pages.toLocaleString('en')} pages, ${(pages * links).toLocaleString('en')} links. ${where()}\n`);
console.log(
  table(['job', 'seconds', 'CPU of Node, s', 'CPU of PostgreSQL, s', 'memory of Node, MiB', 'load before'], lines),
);
