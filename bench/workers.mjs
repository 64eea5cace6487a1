/**
 * `npm run bench:workers [-- hosts pages]`: the speedup by more workers when latency is the limit, and the cost of losing one
 * every ten seconds.
 *
 * scale: FETCH of all pages of the synthetic web, 50 ms per page, by 1, 2 and 4 servers with one worker each (`orbweaver worker`,
 *    as on separate machines). Each adds THREADS concurrent requests (`fetcher.threads.fetch`), so that latency is the limit, not
 *    the cores of this machine: a worker fetches at most THREADS / 0.05 s pages per second. Time is measured from the
 *    request that creates the job to its end.
 * crawl: the same web by POST /v1/crawls, from that request to the last UPDATEDB, with all its rounds.
 * kill: a crawl of 5,000 pages by one server of four workers, undisturbed; and once more with kill -9 of one of them every
 *    10 s. The tables must be the same.
 * takeover: a worker of another machine (its own process namespace) is killed during its FETCH: the time until its task is
 *    rescued, and until another worker runs it.
 *
 * BENCH=scale,crawl,kill,takeover selects, SERVERS=1,2,4 how many. The web, PostgreSQL and all workers share the machine.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import pg from 'pg';
import { startEmbedded } from '../dist/src/db/embedded/embedded.js';
import { startMeter } from './cpu.mjs';
import { freePort } from './crawl-server.mjs';
import { table, where } from './database.mjs';
import { startSyntheticWeb } from './synthetic-web/start.mjs';

const [hosts, pages] = (process.argv[2] ? process.argv.slice(2, 4) : ['50', '100']).map(Number);
const parts = (process.env.BENCH ?? 'scale,crawl,kill,takeover').split(',');
const SERVERS = (process.env.SERVERS ?? '1,2,4').split(',').map(Number);
const THREADS = Number(process.env.THREADS ?? 4);
const LATENCY_MS = 50;
const KILL_EVERY_MS = 10_000;
const CONF = {
  'http.agent.name': 'orbweaver-bench',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.parse': 'true',
  'fetcher.threads.fetch': String(THREADS),
  'fetcher.threads.start.delay': '0',
  'generate.max.count': '-1',
};

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'));
// PostgreSQL runs as another user when root starts it: without access to the folder it would leave its data elsewhere.
chmodSync(folder, 0o755);
const postgres = await startEmbedded({ dataDir: folder });
const admin = new pg.Pool({ connectionString: postgres.adminUrl, max: 1 });
const web = await startSyntheticWeb({ hosts, pages, latency: LATENCY_MS, size: 8, links: '10-30', robots: 0 });
const children = new Set();

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));
async function until(check, seconds = 60, every = 20) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(every)) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) throw new Error(`not in time: ${check}`);
  }
}

/** A process of the product; resolves when it is ready. */
async function launch(databaseUrl, { role, workers = 1, port = 0, wrap = [] }) {
  const [command, ...words] = [...wrap, process.execPath, 'dist/src/main.js'];
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    ROLE: role,
    WORKERS: workers,
    PORT: port,
    LOG_LEVEL: 'error',
  };
  const child = spawn(command, words, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  children.add(child);
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  await until(async () => /ready: /.test(text));
  return child;
}

/** Sends SIGKILL to a process and its children, and waits for their end. */
async function end(child) {
  children.delete(child);
  const ended = new Promise((done) => child.once('exit', done));
  for (const pid of [...childrenOf(child.pid), child.pid]) tryKill(pid);
  await ended;
}

function tryKill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function childrenOf(parent) {
  return readdirSync('/proc')
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** A separate database, an API on it, and functions to call it. */
async function arena(name) {
  const port = await freePort();
  await admin.query(`create database ${name} owner orbweaver`);
  const url = postgres.url.replace('/orbweaver?', `/${name}?`);
  const api = await launch(url, { role: 'api', port });
  const http = axios.create({ baseURL: `http://127.0.0.1:${port}` });
  await until(() => http.get('/health/ready'));
  await http.post('/config/create', { configId: 'bench', params: CONF });
  const db = new pg.Pool({ connectionString: url, max: 2 });
  db.on('error', () => undefined);
  const create = async (type, args = {}) =>
    (await http.post('/job/create', { type, crawlId: 'bench', confId: 'bench', args })).data.id;
  const over = async (id) => {
    // Polling takes time of the measured cores; the row of the job has its end.
    const ended = async () => ((job) => job.endedAt && job)((await http.get(`/job/${id}`)).data);
    const job = await until(ended, 900, 250);
    if (job.state !== 'FINISHED') throw new Error(`${id} ${job.state}: ${job.msg}`);
    return job;
  };
  const workers = async () => (await http.get('/v1/workers')).data.workers;
  const alive = (n) => until(async () => (await workers()).filter(({ state }) => state === 'alive').length === n);
  return { url, http, db, create, over, workers, alive, close: async () => (await db.end(), await end(api)) };
}

/** Requests every page once before: generating it is not part of the measurement. */
async function warmUp(urls) {
  const rest = [...urls];
  const visit = async () => {
    for (let url = rest.pop(); url; url = rest.pop()) await (await fetch(url)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: 32 }, visit));
}

/** Injects the pages and generates one batch of them; returns a function that fetches it. */
async function oneBatch(bench, urls) {
  for (let i = 0; i < urls.length; i += 5_000)
    await bench.over(await bench.create('INJECT', { seed: urls.slice(i, i + 5_000).join('\n') }));
  await bench.over(await bench.create('GENERATE', {}));
  return () => bench.create('FETCH', {});
}

/** A whole crawl: returns a function that starts it. */
async function wholeCrawl(bench) {
  const seeds = await web.seeds();
  const request = { crawlId: 'bench', confId: 'bench', seeds, maxRounds: 50 };
  return async () => ((data) => data.id ?? data.jobId)((await bench.http.post('/v1/crawls', request)).data);
}

/** Measures a job by a number of servers with one worker each; `prepare` returns a function that creates it. */
async function measured(name, servers, prepare) {
  const bench = await arena(name);
  const crew = await Promise.all(Array.from({ length: servers }, () => launch(bench.url, { role: 'worker' })));
  await bench.alive(servers);
  const begin = await prepare(bench);
  const meter = startMeter(process.pid, undefined, { stop: () => ({}) });
  const { id } = await bench.over(await begin());
  const { busy, others } = meter.stop();
  const [row] = (
    await bench.db.query(
      `select extract(epoch from j.ended_at - j.created_at)::float8 as seconds,
              (select count(*)::int from fetch_history) as visits,
              (select count(distinct key)::int from fetch_history where http_status = 200) as fetched,
              (select count(*)::int from job_task t join job f on f.id = t.job where f.type = 'FETCH') as tasks
         from job j where j.id = $1`,
      [id],
    )
  ).rows;
  await Promise.all(crew.map(end));
  await bench.close();
  return { servers, ...row, busy, others, rate: row.fetched / row.seconds };
}

/** The same with an increasing number of servers. */
async function compare(what, prepare) {
  const found = [];
  for (const servers of SERVERS) found.push(await measured(`${what}${servers}`, servers, prepare));
  const head = [
    'workers',
    'pages',
    'visits',
    's',
    'pages/s',
    'ratio',
    'of their bound',
    'tasks',
    'CPU',
    'CPU of others',
  ];
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  const lines = found.map((f) => [
    f.servers,
    f.fetched,
    f.visits,
    f.seconds.toFixed(1),
    f.rate.toFixed(0),
    (f.rate / found[0].rate).toFixed(2),
    percent((f.rate * LATENCY_MS) / 1000 / (THREADS * f.servers)),
    f.tasks,
    percent(f.busy),
    percent(f.others),
  ]);
  console.log(
    `\n${what} of ${hosts} × ${pages} pages, ${LATENCY_MS} ms latency, ${THREADS} threads a server; ${where()}\n`,
  );
  console.log(table(head, lines));
}

/** Result of a crawl, without the values that differ between two crawls: times, ids of batches. */
const LEFT = `select w.key, w.status, round(w.score::numeric, 4) as score, w.distance, w.signature, w.title,
    w.generate_mark is null and w.fetch_mark is null and w.parse_mark is null as closed,
    (select string_agg(i.source || ' ' || i.anchor, ',' order by i.source) from inlink i where i.crawl = w.crawl and i.host = w.host and i.key = w.key) as inlinks,
    p.outlink_keys from webpage w left join page_content p using (crawl, host, key) order by w.key`;

/** Seconds of a crawl by one server with four workers, and its result. */
async function crawl(name, kills) {
  const bench = await arena(name);
  const server = await launch(bench.url, { role: 'worker', workers: 4 });
  await bench.alive(4);
  const seeds = await web.seeds();
  const began = performance.now();
  let killed = 0;
  const striker = setInterval(() => {
    if (!kills) return;
    const living = childrenOf(server.pid);
    tryKill(living[killed++ % living.length]);
  }, KILL_EVERY_MS);
  const { data } = await bench.http.post('/v1/crawls', {
    crawlId: 'bench',
    confId: 'bench',
    seeds,
    maxRounds: 50,
  });
  const job = await bench.over(data.id ?? data.jobId);
  clearInterval(striker);
  const seconds = (performance.now() - began) / 1000;
  const { rows } = await bench.db.query(LEFT);
  const visits = (await bench.db.query('select count(*)::int as n from fetch_history')).rows[0].n;
  const fetched = rows.filter(({ status }) => status === 2).length;
  await end(server);
  await bench.close();
  return { seconds, killed, fetched, visits, rounds: job.result.rounds, left: JSON.stringify(rows) };
}

async function kill() {
  const calm = await crawl('calm', false);
  const struck = await crawl('struck', true);
  console.log(`\nA crawl by one server of four workers, ${THREADS} threads, ${LATENCY_MS} ms latency; ${where()}\n`);
  console.log(
    table(
      ['', 'fetched', 'visits', 'kills', 's', 'times'],
      [
        ['undisturbed', calm.fetched, calm.visits, 0, calm.seconds.toFixed(1), '1.00'],
        [
          'kill -9 every 10 s',
          struck.fetched,
          struck.visits,
          struck.killed,
          struck.seconds.toFixed(1),
          (struck.seconds / calm.seconds).toFixed(2),
        ],
      ],
    ),
  );
  console.log(`\ntables identical: ${calm.left === struck.left}`);
  if (calm.left !== struck.left) {
    const [a, b] = [JSON.parse(calm.left), JSON.parse(struck.left)];
    console.log(
      a.length,
      b.length,
      a.flatMap((row, i) => (JSON.stringify(row) === JSON.stringify(b[i]) ? [] : [[row, b[i]]])).slice(0, 3),
    );
  }
}

/** kill -9 of all processes of a machine whose processes others cannot see: they notice only the missing heartbeats. */
async function takeover(urls) {
  const bench = await arena('takeover');
  const there = await launch(bench.url, {
    role: 'worker',
    wrap: ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'],
  });
  await bench.alive(1);
  await bench.over(await bench.create('INJECT', { seed: urls.join('\n') }));
  await bench.over(await bench.create('GENERATE', {}));
  const id = await bench.create('FETCH', {});
  await until(async () => (await bench.db.query('select 1 from fetch_history limit 1')).rowCount);
  const here = await launch(bench.url, { role: 'worker' });
  await bench.alive(2);
  const owner = (await bench.db.query(`select owner from job_task where job = $1 and part = 0`, [id])).rows[0].owner;
  const killedAt = Date.now();
  await end(there);
  const event = async (text) =>
    (
      await bench.db.query(
        `select time from job_event where job = $1 and kind = 'task' and ${text} order by id desc limit 1`,
        [id],
      )
    ).rows[0];
  const found = await until(() => event(`data ->> 'msg' = 'lost by ${owner}'`));
  const taken = await until(() =>
    event(`data ->> 'state' = 'RUNNING' and data ->> 'part' = '0' and data ->> 'owner' <> '${owner}'`),
  );
  await bench.over(id);
  const seconds = (time) => ((time - killedAt) / 1000).toFixed(1);
  console.log(
    `\nA worker on another machine is killed: found after ${seconds(found.time)} s, its task runs elsewhere after ${seconds(taken.time)} s; ${where()}`,
  );
  await end(here);
  await bench.close();
}

try {
  const urls = (await web.truth()).map(({ url }) => url);
  await warmUp(urls);
  if (parts.includes('scale')) await compare('fetch', (bench) => oneBatch(bench, urls));
  if (parts.includes('crawl')) await compare('crawl', wholeCrawl);
  if (parts.includes('kill')) await kill();
  if (parts.includes('takeover')) await takeover(urls.slice(0, 3_000));
} finally {
  for (const child of children) await end(child);
  await web.close();
  await admin.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
