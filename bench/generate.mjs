/** `npm run bench:generate [-- sizes]`: GENERATE of 50,000 pages from a growing table of known URLs. */
import { median, openBench, table, where } from './database.mjs';
import { fillKnownUrls } from './known-urls.mjs';

const BATCH = 50_000;
const RUNS = 3;
const sizes = (process.argv[2] ?? '100000,1000000,10000000').split(',').map(Number);
const bench = await openBench();
const lines = [];
let base;
try {
  for (const n of sizes) {
    await fillKnownUrls(bench.pool, n);
    const seconds = {};
    for (const [name, conf] of [
      ['no host limit', {}],
      ['100 per host', { 'generate.max.count': '100' }],
    ]) {
      const times = [];
      for (let i = 0; i < RUNS; i++) {
        const job = await bench.run('GENERATE', { topN: Math.min(BATCH, n / 10) }, conf);
        times.push(job.seconds);
        console.error(n, name, job.seconds.toFixed(2), JSON.stringify(job.result.counters));
        await bench.pool.query(`update webpage set generate_mark = null, batch_id = null, cash = spend, spend = null,
          rank = (ln(score) * 1477)::int where crawl = (select id from crawl where name = 'bench') and generate_mark is not null`);
        await bench.pool.query('vacuum webpage');
      }
      seconds[name] = median(times);
    }
    base ??= n === 1_000_000 ? seconds : undefined;
    const ratio = (name) => (base ? (seconds[name] / base[name]).toFixed(2) : '');
    lines.push([
      n.toLocaleString('en'),
      seconds['no host limit'].toFixed(2),
      ratio('no host limit'),
      seconds['100 per host'].toFixed(2),
      ratio('100 per host'),
    ]);
  }
} finally {
  await bench.close();
}
console.log(
  `GENERATE of ${BATCH.toLocaleString('en')} (a tenth of the smallest table); ${where()}; median of ${RUNS}\n`,
);
console.log(table(['known URLs', 's', 'to 1 million', 's, 100 per host', 'to 1 million'], lines));
