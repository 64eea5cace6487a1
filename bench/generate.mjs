/**
 * `npm run bench:generate [-- sizes [ways]]`: GENERATE of 50,000 pages from tables of known URLs of increasing size, the
 * statistics of the table, and its bytes per URL. Ways are `none`, `host`, `domain`: the unit of the limit; default all.
 */
import { loadavg } from 'node:os';
import { crawlStats } from '../dist/src/webpage/crawl-stats.js';
import { recountStatuses } from '../dist/src/webpage/status-count.store.js';
import { usage } from './cpu.mjs';
import { median, openBench, table, where } from './database.mjs';
import { fillKnownUrls } from './known-urls.mjs';

const BATCH = 50_000;
const RUNS = 3;
const WAYS = {
  none: {},
  host: { 'generate.max.count': '100' },
  domain: { 'generate.max.count': '100', 'generate.count.mode': 'domain' },
};
const sizes = (process.argv[2] ?? '100000,1000000,10000000').split(',').map(Number);
const ways = process.argv[3]?.split(',') ?? Object.keys(WAYS);
const bench = await openBench();
const crawl = `(select id from crawl where name = 'bench')`;
const lines = [];
const others = [];
let base;

/** Undoes the batch, so that the next run starts from the same state. */
async function giveBack() {
  await bench.pool.query(`update webpage set generate_mark = null, batch_id = null, partition_hash = null, cash = spend,
    spend = null, spend_distance = null, rank = (ln(score) * 16777216)::int where crawl = ${crawl} and generate_mark is not null`);
  await bench.pool.query('vacuum webpage');
}

async function generate(n, name, conf) {
  const runs = [];
  for (let i = 0; i < RUNS; i++) {
    const load = loadavg()[0];
    const before = usage(process.pid);
    const job = await bench.run('GENERATE', { topN: Math.min(BATCH, n / 10) }, conf);
    const after = usage(process.pid);
    const [node, postgres] = ['node', 'postgres'].map((part) => after[part] - before[part]);
    runs.push({ seconds: job.seconds, node, postgres, load });
    console.error(n, name, JSON.stringify(runs.at(-1)), JSON.stringify(job.result.counters));
    await giveBack();
  }
  return Object.fromEntries(
    ['seconds', 'node', 'postgres', 'load'].map((what) => [what, median(runs.map((r) => r[what]))]),
  );
}

/** Milliseconds of the statistics, and bytes of an unfetched page: what the heap, the key and the index of its place take. */
async function statsAndBytes(n) {
  const { rows } = await bench.pool.query(`select ${crawl} as id`);
  await recountStatuses(bench.pool, rows[0].id);
  await crawlStats(bench.pool, rows[0].id, null);
  while ((await bench.pool.query('select from crawl where stats is not null')).rowCount === 0)
    if (n > 200_000) await new Promise((wake) => setTimeout(wake, 100));
    else break;
  const times = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    await crawlStats(bench.pool, rows[0].id, null);
    times.push(performance.now() - began);
  }
  const size = await bench.pool.query(`select pg_relation_size('webpage') / count(*)::float8 as heap,
    pg_relation_size('webpage_pkey') / count(*)::float8 as pkey, pg_relation_size('webpage_selectable') / count(rank)::float8 as selectable from webpage`);
  const { heap, pkey, selectable } = size.rows[0];
  return [median(times).toFixed(1), ...[heap, pkey, selectable, heap + pkey + selectable].map((b) => b.toFixed(0))];
}

try {
  for (const n of sizes) {
    const loading = performance.now();
    await fillKnownUrls(bench.pool, n);
    console.error(n, `loaded in ${Math.round((performance.now() - loading) / 1000)} s`);
    others.push([n.toLocaleString('en'), ...(await statsAndBytes(n))]);
    const found = {};
    for (const name of ways) found[name] = await generate(n, name, WAYS[name]);
    base ??= n === 1_000_000 ? found : undefined;
    for (const [name, { seconds, node, postgres, load }] of Object.entries(found)) {
      const ratio = base ? (seconds / base[name].seconds).toFixed(2) : '';
      lines.push([
        n.toLocaleString('en'),
        name,
        ...[seconds, node, postgres].map((s) => s.toFixed(2)),
        ratio,
        load.toFixed(0),
      ]);
    }
  }
} finally {
  await bench.close();
}
console.log(
  `GENERATE of ${BATCH.toLocaleString('en')} (a tenth of the smallest table); ${where()}; median of ${RUNS}\n`,
);
console.log(
  table(['known URLs', '100 by', 's', 'Node CPU s', 'PostgreSQL CPU s', 's to 1 million', 'load before'], lines),
);
console.log(`\nStatistics, and bytes of an unfetched page, freshly loaded\n`);
console.log(table(['known URLs', 'ms of statistics', 'heap', 'primary key', 'webpage_selectable', 'bytes'], others));
