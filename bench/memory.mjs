/**
 * `npm run bench:memory [-- pages connections]`: the memory of one worker over very many pages (default 200,000, 200
 * connections). Batches of 10,000 pages, each by INJECT, GENERATE, FETCH with parsing, and UPDATEDB, one after the other in the
 * same process, from a web that delays each answer, so that all connections are in use (plain-web.mjs). Resident memory is
 * sampled while the worker runs: the median of each batch, and the peak (VmHWM), which does not depend on sampling.
 *
 * Printed: the slope of the medians by least squares, MiB per 10,000 pages, without the first quarter, in which heaps and caches
 * grow to their size; and the peak. BENCH_DATA is the folder of PostgreSQL's data (below 1 GB).
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import pg from 'pg';
import { startEmbedded } from '../dist/src/db/embedded/embedded.js';
import { tree } from './cpu.mjs';
import { endWithUs, freePort } from './crawl-server.mjs';
import { median, table, where } from './database.mjs';

const [wanted, connections] = [process.argv[2] ?? 200_000, process.argv[3] ?? 200].map(Number);
const BATCH = Math.min(10_000, wanted);
/** More than connections: each host gets one request at a time. */
const HOSTS = 250;
const LATENCY_MS = 250;
const SAMPLE_MS = 250;
// Concurrent benchmarks must not use the same web. Its control server has the next port.
const WEB_PORT = 20_000 + (process.pid % 10_000) * 2;
const CONF = {
  'http.agent.name': 'orbweaver-bench',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.parse': 'true',
  'fetcher.threads.fetch': String(connections),
  'fetcher.threads.start.delay': '0',
};

const folder = mkdtempSync(join(process.env.BENCH_DATA ?? tmpdir(), 'orbweaver-bench-'));
// PostgreSQL runs as another user when root starts it: without access to the folder it would leave its data elsewhere.
chmodSync(folder, 0o755);
const postgres = await startEmbedded({ dataDir: folder, durable: false });
const pages = Math.ceil(wanted / HOSTS);
const web = spawn(process.execPath, ['bench/plain-web.mjs', WEB_PORT, pages, LATENCY_MS], { stdio: 'inherit' });
const port = await freePort();
const server = spawn(process.execPath, ['dist/src/main.js'], {
  env: { ...process.env, DATABASE_URL: postgres.url, PORT: String(port), WORKERS: '1', LOG_LEVEL: 'error' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
for (const child of [web, server]) endWithUs(child);
const http = axios.create({ baseURL: `http://127.0.0.1:${port}`, maxBodyLength: Infinity });
const db = new pg.Pool({ connectionString: postgres.url, max: 1 });
// An idle connection may get an error when PostgreSQL ends before the connection does.
db.on('error', () => undefined);

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));
async function until(check, seconds, every) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(every)) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) throw new Error('not in time');
  }
}

async function job(type, args = {}) {
  const { id } = (await http.post('/job/create', { type, crawlId: 'bench', confId: 'bench', args })).data;
  const done = await until(async () => ((now) => now.endedAt && now)((await http.get(`/job/${id}`)).data), 1_200, 100);
  if (done.state !== 'FINISHED') throw new Error(`${id}: ${done.msg}`);
  return done.result;
}

/** Resident memory and its peak, MiB. */
function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) / 1024;
  return { rss: mib('VmRSS'), peak: mib('VmHWM') };
}

/** Slope by least squares: MiB per 10,000 pages. */
function slope(points) {
  const mean = (of) => points.reduce((sum, p) => sum + of(p), 0) / points.length;
  const [x, y] = [mean((p) => p.pages), mean((p) => p.rss)];
  const over = points.reduce((sum, p) => sum + (p.pages - x) * (p.rss - y), 0);
  return (over / points.reduce((sum, p) => sum + (p.pages - x) ** 2, 0)) * 10_000;
}

/** Runs one batch, with the hosts alternating; returns the memory of the worker meanwhile. */
async function batch(pid, from) {
  const samples = [];
  const sampler = setInterval(() => samples.push(memory(pid).rss), SAMPLE_MS);
  const urls = Array.from({ length: Math.min(BATCH, wanted - from) }, (_, i) => {
    const [host, page] = [(from + i) % HOSTS, Math.floor((from + i) / HOSTS)];
    return `http://127.0.2.${host + 1}:${WEB_PORT}/p${page}.html`;
  });
  await job('INJECT', { seed: urls.join('\n') });
  const generated = await job('GENERATE', { topN: BATCH });
  const args = { batch: generated['generate.batch.id'] };
  const { counters } = await job('FETCH', args);
  await job('UPDATEDB', args);
  clearInterval(sampler);
  return { fetched: counters.FetcherStatus?.SUCCESS ?? 0, ...memory(pid), rss: median(samples) };
}

function report(points, seconds, max) {
  const settled = points.slice(Math.floor(points.length / 4));
  const last = points.at(-1);
  console.log(
    `\nOne worker, ${connections} connections (at most ${max} at once), ${HOSTS} hosts, ${LATENCY_MS} ms, fetch, parse, UPDATEDB; ${where()}\n`,
  );
  const head = ['pages', 'MiB after a quarter', 'MiB at the end', 'peak MiB', 'MiB per 10,000 pages', 's', 'pages/s'];
  const line = [
    last.pages,
    settled[0].rss.toFixed(0),
    last.rss.toFixed(0),
    last.peak.toFixed(0),
    points.length < 4 ? 'too few' : slope(settled).toFixed(2),
    seconds.toFixed(0),
    (last.pages / seconds).toFixed(0),
  ];
  console.log(table(head, [line]));
}

try {
  await until(() => http.get('/health/ready'), 60, 50);
  await http.post('/config/create', { configId: 'bench', params: CONF });
  const isWorker = ({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker.main');
  const { pid } = await until(async () => tree(server.pid).find(isWorker), 60, 50);
  await until(async () => (await http.get('/v1/workers')).data.workers.length > 0, 60, 50);
  const points = [];
  const began = performance.now();
  for (let from = 0, fetched = 0; from < wanted; from += BATCH) {
    const point = await batch(pid, from);
    fetched += point.fetched;
    points.push({ ...point, pages: fetched });
    console.error(`${fetched} pages: ${point.rss.toFixed(0)} MiB, peak ${point.peak.toFixed(0)} MiB`);
    // The table is not measured, and the disk is small.
    await db.query('truncate page_content, inlink');
  }
  const { max } = (await axios.get(`http://127.0.0.1:${WEB_PORT + 1}/`)).data;
  report(points, (performance.now() - began) / 1000, max);
} finally {
  const ended = new Promise((done) => server.once('exit', done));
  server.kill('SIGTERM');
  await ended;
  web.kill();
  await db.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
