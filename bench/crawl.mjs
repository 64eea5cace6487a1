/**
 * `npm run bench:crawl [-- hosts pages]`: the whole crawl of the synthetic web by single jobs over HTTP, round by round,
 * until GENERATE selects nothing. Server, workers, PostgreSQL and the web server share the machine.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import pg from 'pg';
import { usage } from './cpu.mjs';
import { table, where } from './database.mjs';

const [hosts, pages] = (process.argv[2] ? process.argv.slice(2, 4) : ['50', '200']).map(Number);
const WEB = join(process.env.ORBWEAVER_SHARED ?? '../shared', 'bench/synthetic-web.mjs');
const WEB_PORT = 8700;
const PORT = 8791;
/** The synthetic web sets `maxConnections = 0`, which Node reads as "accept nobody" since version 21. */
const NO_LIMIT = `data:text/javascript,${encodeURIComponent(
  "import { Server } from 'node:net'; Object.defineProperty(Server.prototype, 'maxConnections', { set() {} });",
)}`;
/** Links between hosts are followed; query strings too, so that every page of the synthetic web counts. */
const CONF = {
  'http.agent.name': 'orbweaver-bench',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.parse': 'true',
  'fetcher.threads.fetch': '64',
  'fetcher.threads.per.queue': '4',
  'db.max.outlinks.per.page': '-1',
};

if (!existsSync(WEB)) {
  console.error(`needs ${WEB}; ORBWEAVER_SHARED names the folder that has bench/synthetic-web.mjs`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'));
const web = spawn(
  process.execPath,
  ['--import', NO_LIMIT, WEB, '--port', WEB_PORT, '--hosts', hosts, '--pages', pages].map(String),
  { stdio: 'ignore' },
);
const server = spawn(process.execPath, ['dist/src/main.js'], {
  env: { ...process.env, PORT: String(PORT), DATA_DIR: folder, LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const api = axios.create({ baseURL: `http://127.0.0.1:${PORT}` });

async function until(check, seconds) {
  for (const end = Date.now() + seconds * 1000; ; await new Promise((wake) => setTimeout(wake, 100))) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) throw new Error('not in time');
  }
}

/** The web makes and compresses a page at its first request: that is not part of the measurement. */
async function warmUp(truth) {
  const urls = truth.split('\n').flatMap((line) => (line ? [line.split('\t')[0]] : []));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  const visit = async () => {
    for (let url = urls.pop(); url; url = urls.pop()) {
      await axios.get(url, {
        httpAgent: agent,
        decompress: false,
        responseType: 'arraybuffer',
        headers: { 'accept-encoding': 'gzip' },
        validateStatus: () => true,
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, visit));
  agent.destroy();
}

/** Creates a job and polls it to its end. */
async function job(type, args = {}) {
  const { data } = await api.post('/job/create', { type, crawlId: 'bench', confId: 'bench', args });
  for (;;) {
    const { data: now } = await api.get(`/job/${data.id}`);
    if (now.state === 'FINISHED') return now;
    if (!['IDLE', 'RUNNING'].includes(now.state)) throw new Error(`${type}: ${now.msg}`);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

async function timed(spent, type, args) {
  const began = performance.now();
  const done = await job(type, args);
  spent[type] = (spent[type] ?? 0) + (performance.now() - began) / 1000;
  return done;
}

/** Bytes of tables and of the columns of fetched pages. */
async function sizes(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const one = async (text) => (await client.query(text)).rows[0];
  const rows = await one(`select count(*)::int as n, count(*) filter (where status = 2)::int as fetched from webpage`);
  const bytes = await one(`select pg_relation_size('webpage') as heap, pg_indexes_size('webpage') as indexes,
    pg_total_relation_size('page_content') as content, pg_total_relation_size('inlink') as inlink,
    (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'fetch_history'::regclass) as history`);
  const columns =
    await one(`select avg(content_length)::int as raw, avg(pg_column_size(content))::int as content, avg(pg_column_size(text))::int as text,
    avg(pg_column_size(outlink_keys) + pg_column_size(outlink_anchors))::int as outlinks, avg(pg_column_size(headers))::int as headers from page_content where content is not null`);
  await client.end();
  return { rows, bytes, columns };
}

try {
  await until(() => api.get('/health/ready'), 60);
  await until(() => axios.get(`http://127.0.0.1:${WEB_PORT + 1}/__seeds`), 30);
  await warmUp((await axios.get(`http://127.0.0.1:${WEB_PORT + 1}/__truth`)).data);
  const seeds = (await axios.get(`http://127.0.0.1:${WEB_PORT + 1}/__seeds`)).data;
  await api.post('/config/create', { configId: 'bench', params: CONF });
  let peakMb = 0;
  const watch = setInterval(() => (peakMb = Math.max(peakMb, usage(server.pid).nodeMb)), 500);
  const before = usage(server.pid);
  const webBefore = usage(web.pid).node;
  const began = performance.now();
  const spent = {};
  await timed(spent, 'INJECT', { seed: seeds });
  let rounds = 0;
  let fetched = 0;
  for (;;) {
    const { result } = await timed(spent, 'GENERATE');
    if (result['generate.count'] === 0) break;
    const batch = result['generate.batch.id'];
    const fetch = await timed(spent, 'FETCH', { batch });
    await timed(spent, 'UPDATEDB', { batch });
    rounds++;
    fetched += fetch.result.counters.FetcherStatus.SUCCESS ?? 0;
    console.error(`round ${rounds}: ${result['generate.count']} generated, ${fetched} fetched`);
  }
  const seconds = (performance.now() - began) / 1000;
  const after = usage(server.pid);
  const webMs = (((usage(web.pid).node - webBefore) * 1000) / fetched).toFixed(2);
  clearInterval(watch);
  const { readFileSync } = await import('node:fs');
  const { rows, bytes, columns } = await sizes(readFileSync(join(folder, 'postgres.url'), 'utf8').trim());
  const ms = (what) => (((after[what] - before[what]) * 1000) / fetched).toFixed(2);
  console.log(`Crawl of the synthetic web, ${hosts} hosts × ${pages} pages, no delay, fetcher.parse on; ${where()}\n`);
  console.log(
    table(
      [
        'pages',
        'rounds',
        's',
        'pages/s',
        'pages/s in FETCH',
        'Node CPU ms/page',
        'PostgreSQL CPU ms/page',
        'web server CPU ms/page',
        'peak MB (Node)',
      ],
      [
        [
          fetched,
          rounds,
          seconds.toFixed(1),
          (fetched / seconds).toFixed(0),
          (fetched / spent.FETCH).toFixed(0),
          ms('node'),
          ms('postgres'),
          webMs,
          peakMb.toFixed(0),
        ],
      ],
    ),
  );
  console.log(
    `\nSeconds by job: ${Object.entries(spent)
      .map(([type, s]) => `${type} ${s.toFixed(1)}`)
      .join(', ')}`,
  );
  console.log(`\n${rows.n} known URLs, ${rows.fetched} fetched\n`);
  const per = (n, of) => Math.round(n / of);
  console.log(
    table(
      ['bytes', 'webpage heap/URL', 'webpage indexes/URL', 'page_content/page', 'inlink/URL', 'history/visit'],
      [
        [
          '',
          per(bytes.heap, rows.n),
          per(bytes.indexes, rows.n),
          per(bytes.content, rows.fetched),
          per(bytes.inlink, rows.n),
          per(bytes.history, rows.fetched),
        ],
      ],
    ),
  );
  console.log(
    `\nMean page: ${columns.raw} bytes raw; stored content ${columns.content}, text ${columns.text}, outlinks ${columns.outlinks}, headers ${columns.headers}`,
  );
} finally {
  server.kill('SIGTERM');
  web.kill();
  await new Promise((ended) => server.once('exit', ended));
  rmSync(folder, { recursive: true, force: true });
}
