/**
 * `npm run bench:updatedb [-- sizes [graphs]]`: UPDATEDB of a batch of 50,000 parsed pages with 26 outlinks each. Graphs are
 * numbers of links that pages share: 0, 10, 22; default all.
 */
import { loadavg } from 'node:os';
import { usage } from './cpu.mjs';
import { openBench, table, where } from './database.mjs';
import { fetchBatch, fillKnownUrls } from './known-urls.mjs';

const BATCH = 50_000;
/**
 * Shared links: none, which is unrealistic; ten shared by twenty neighbouring pages, one of which is in the batch; and most
 * shared by all pages of the host, as in documentation.
 */
const GRAPHS = [{ navigation: 0 }, { navigation: 10 }, { navigation: 22, ofHost: true }];
const [sizes, graphs] = [process.argv[2] ?? '100000,1000000,10000000', process.argv[3] ?? '0,10,22'].map((list) =>
  list.split(',').map(Number),
);
const bench = await openBench();
const lines = [];
const base = {};

/** Bytes of the write-ahead log so far. */
const walPosition = async () =>
  Number((await bench.pool.query(`select pg_current_wal_insert_lsn() - '0/0' as lsn`)).rows[0].lsn);

try {
  for (const [n, graph] of sizes.flatMap((size) =>
    GRAPHS.filter(({ navigation }) => graphs.includes(navigation)).map((graph) => [size, graph]),
  )) {
    const { navigation } = graph;
    const loading = performance.now();
    await fillKnownUrls(bench.pool, n);
    const pages = Math.min(BATCH, n / 10);
    const generated = await bench.run('GENERATE', { topN: pages });
    await fetchBatch(bench.pool, generated.result['generate.batch.id'], n, graph);
    const [{ links }] = (
      await bench.pool.query('select sum(cardinality(outlink_keys))::int as links from page_content')
    ).rows;
    await bench.pool.query('checkpoint');
    const loaded = Math.round((performance.now() - loading) / 1000);
    const load = loadavg()[0];
    const lsn = await walPosition();
    const before = usage(process.pid);
    const job = await bench.run('UPDATEDB', { batch: generated.result['generate.batch.id'] });
    const after = usage(process.pid);
    const micros = (what) => (((after[what] - before[what]) * 1e6) / links).toFixed(1);
    const [{ hot }] = (
      await bench.pool.query(
        `select round(100.0 * n_tup_hot_upd / n_tup_upd) as hot from pg_stat_user_tables where relname = 'webpage'`,
      )
    ).rows;
    const wal = Math.round(((await walPosition()) - lsn) / links);
    console.error(n, `loaded in ${loaded} s`, job.seconds, job.msg, JSON.stringify(job.result.counters));
    if (n === 1_000_000) base[navigation] = links / job.seconds;
    lines.push([
      n.toLocaleString('en'),
      `${navigation} of 26`,
      pages.toLocaleString('en'),
      links.toLocaleString('en'),
      job.seconds.toFixed(1),
      Math.round(links / job.seconds).toLocaleString('en'),
      base[navigation] ? (links / job.seconds / base[navigation]).toFixed(2) : '',
      `${hot} %`,
      micros('postgres'),
      micros('node'),
      wal,
      load.toFixed(0),
    ]);
  }
} finally {
  await bench.close();
}
console.log(`UPDATEDB; ${where()}\n`);
console.log(
  table(
    [
      'known URLs',
      'navigation links',
      'pages',
      'outlinks',
      's',
      'outlinks/s',
      'to 1 million',
      'HOT updates',
      'PostgreSQL µs/outlink',
      'Node µs/outlink',
      'WAL bytes/outlink',
      'load before',
    ],
    lines,
  ),
);
