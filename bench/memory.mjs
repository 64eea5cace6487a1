/**
 * `npm run bench:memory [-- pages connections]`: the memory of one worker over very many pages (default 200,000, 200
 * connections). Pages are fetched and parsed in batches of 10,000 from the synthetic web, one FETCH after another by the same
 * process; after each its resident memory and its peak are noted. Printed: the slope by least squares over the second half
 * (MiB per 10,000 pages), when heaps and caches have found their size, and the peak.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import pg from 'pg';
import { startEmbedded } from '../dist/src/db/embedded/embedded.js';
import { table, where } from './database.mjs';
import { startSyntheticWeb } from './synthetic-web.mjs';

const [wanted, connections] = [process.argv[2] ?? 200_000, process.argv[3] ?? 200].map(Number);
const BATCH = 10_000;
const HOSTS = 250;
const WEB_PORT = 8750;
const CONF = {
  'http.agent.name': 'orbweaver-bench',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.parse': 'true',
  'fetcher.threads.fetch': String(connections),
  'fetcher.threads.start.delay': '0',
};

const folder = mkdtempSync(join(process.env.BENCH_DATA ?? tmpdir(), 'orbweaver-bench-'));
// PostgreSQL runs as another user when root starts it: in a closed folder it would keep its data elsewhere, for ever.
chmodSync(folder, 0o755);
const postgres = await startEmbedded({ dataDir: folder, durable: false });
const pages = Math.ceil(wanted / HOSTS);
const web = startSyntheticWeb({ port: WEB_PORT, hosts: HOSTS, pages, size: 16, cache: 64 });
const server = spawn(process.execPath, ['dist/src/main.js'], {
  env: { ...process.env, DATABASE_URL: postgres.url, PORT: '8760', WORKERS: '1', LOG_LEVEL: 'error' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const http = axios.create({ baseURL: 'http://127.0.0.1:8760' });
const db = new pg.Pool({ connectionString: postgres.url, max: 1 });

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));
async function until(check, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(50)) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) throw new Error('not in time');
  }
}

async function job(type, args = {}) {
  const { id } = (await http.post('/job/create', { type, crawlId: 'bench', confId: 'bench', args })).data;
  const done = await until(async () => ((now) => now.endedAt && now)((await http.get(`/job/${id}`)).data), 1_200);
  if (done.state !== 'FINISHED') throw new Error(`${id}: ${done.msg}`);
  return done;
}

/** Resident memory and its peak, MiB. */
function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) / 1024;
  return { rss: mib('VmRSS'), peak: mib('VmHWM') };
}

function workerOf(parent) {
  return Number(
    readdirSync('/proc').find((name) => {
      try {
        return (
          /^\d+$/.test(name) &&
          Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1].split(' ')[1]) === parent
        );
      } catch {
        return false;
      }
    }),
  );
}

/** Slope by least squares: MiB per 10,000 pages. */
function slope(points) {
  const mean = (of) => points.reduce((sum, p) => sum + of(p), 0) / points.length;
  const [x, y] = [mean((p) => p.pages), mean((p) => p.rss)];
  const over = points.reduce((sum, p) => sum + (p.pages - x) * (p.rss - y), 0);
  return (over / points.reduce((sum, p) => sum + (p.pages - x) ** 2, 0)) * 10_000;
}

try {
  await until(() => http.get('/health/ready'));
  await until(() => axios.get(`http://127.0.0.1:${WEB_PORT + 1}/__seeds`));
  await http.post('/config/create', { configId: 'bench', params: CONF });
  const truth = (await axios.get(`http://127.0.0.1:${WEB_PORT + 1}/__truth`)).data;
  const urls = truth
    .split('\n')
    .flatMap((line) => (line ? [line.split('\t')[0]] : []))
    .slice(0, wanted);
  const pid = await until(async () => workerOf(server.pid));
  const points = [];
  const began = performance.now();
  for (let from = 0; from < urls.length; from += BATCH) {
    for (let i = from; i < Math.min(from + BATCH, urls.length); i += 5_000)
      await job('INJECT', { seed: urls.slice(i, i + 5_000).join('\n') });
    const generated = await job('GENERATE', { topN: BATCH });
    await job('FETCH', { batch: generated.result['generate.batch.id'] });
    const pages = (await db.query('select count(*)::int as n from fetch_history')).rows[0].n;
    // What is left when the worker rests: between two batches, after its heap has been collected by need.
    await sleep(1_000);
    points.push({ pages, ...memory(pid) });
    console.error(`${pages} pages: ${points.at(-1).rss.toFixed(0)} MiB, peak ${points.at(-1).peak.toFixed(0)} MiB`);
    // The table is not what is measured, and the disk is small.
    await db.query('truncate page_content, inlink');
  }
  const seconds = (performance.now() - began) / 1000;
  const half = points.slice(Math.floor(points.length / 2));
  console.log(`\nOne worker, ${connections} connections, ${HOSTS} hosts, fetch and parse; ${where()}\n`);
  console.log(
    table(
      ['pages', 'MiB after half', 'MiB at the end', 'peak MiB', 'MiB per 10,000 pages', 'pages/s'],
      [
        [
          points.at(-1).pages,
          half[0].rss.toFixed(0),
          points.at(-1).rss.toFixed(0),
          points.at(-1).peak.toFixed(0),
          slope(half).toFixed(2),
          (points.at(-1).pages / seconds).toFixed(0),
        ],
      ],
    ),
  );
} finally {
  server.kill('SIGTERM');
  await new Promise((ended) => server.once('exit', ended));
  web.kill();
  await db.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
