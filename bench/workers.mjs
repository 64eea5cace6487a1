/**
 * `npm run bench:workers [-- hosts pages]`: what more workers bring where latency is the limit, and what it costs to lose
 * one every ten seconds.
 *
 * 1. FETCH of all pages of the synthetic web, 50 ms a page, by 1, 2 and 4 servers of one worker each (`orbweaver worker`, as on
 *    machines of their own). Each brings THREADS requests at a time (`fetcher.threads.fetch`), so that waiting is the limit,
 *    not the cores of this machine.
 * 2. A crawl of 5,000 pages by one server of four workers, undisturbed; and once more with kill -9 of one of them every 10 s.
 *    The tables must be the same.
 * 3. A worker of another machine (its own process namespace) is killed in the midst of its FETCH: how long until its task is
 *    found, and until another one runs it.
 *
 * BENCH=scale,kill,takeover chooses. The web, PostgreSQL and all workers share the machine.
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

const [hosts, pages] = (process.argv[2] ? process.argv.slice(2, 4) : ['50', '100']).map(Number);
const parts = (process.env.BENCH ?? 'scale,kill,takeover').split(',');
const THREADS = Number(process.env.THREADS ?? 6);
const LATENCY_MS = 50;
const KILL_EVERY_MS = 10_000;
const WEB_PORT = 8710;
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
// PostgreSQL runs as another user when root starts it: in a closed folder it would keep its data elsewhere, for ever.
chmodSync(folder, 0o755);
const postgres = await startEmbedded({ dataDir: folder });
const admin = new pg.Pool({ connectionString: postgres.adminUrl, max: 1 });
const options = { port: WEB_PORT, hosts, pages, latency: LATENCY_MS, size: 8, links: '10-30', robots: 0 };
const web = startSyntheticWeb(options);
const children = new Set();

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));
async function until(check, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; ; await sleep(20)) {
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

/** SIGKILL to a process and those it has started, and waits for their end. */
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

/** A database of its own, an API on it, and its ways to be asked. */
async function arena(name, port) {
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
    const job = await until(async () => ((job) => job.endedAt && job)((await http.get(`/job/${id}`)).data), 600);
    if (job.state !== 'FINISHED') throw new Error(`${id} ${job.state}: ${job.msg}`);
    return job;
  };
  const workers = async () => (await http.get('/v1/workers')).data.workers;
  const alive = (n) => until(async () => (await workers()).filter(({ state }) => state === 'alive').length === n);
  return { url, http, db, create, over, workers, alive, close: async () => (await db.end(), await end(api)) };
}

const truth = async () =>
  (await axios.get(`http://127.0.0.1:${WEB_PORT + 1}/__truth`)).data
    .split('\n')
    .flatMap((line) => (line ? [line.split('\t')[0]] : []));

/** Every page is asked for once before: making it is no part of the measurement. */
async function warmUp(urls) {
  const rest = [...urls];
  const visit = async () => {
    for (let url = rest.pop(); url; url = rest.pop()) await (await fetch(url)).arrayBuffer();
  };
  await Promise.all(Array.from({ length: 32 }, visit));
}

/** Pages a second of a FETCH of all pages, by so many servers of one worker. */
async function fetchRate(urls, servers) {
  const bench = await arena(`scale${servers}`, 8720 + servers);
  const crew = await Promise.all(Array.from({ length: servers }, () => launch(bench.url, { role: 'worker' })));
  await bench.alive(servers);
  for (let i = 0; i < urls.length; i += 5_000)
    await bench.over(await bench.create('INJECT', { seed: urls.slice(i, i + 5_000).join('\n') }));
  await bench.over(await bench.create('GENERATE', {}));
  const began = performance.now();
  const job = await bench.over(await bench.create('FETCH', {}));
  const seconds = (performance.now() - began) / 1000;
  const fetched = job.result.counters.FetcherStatus.SUCCESS;
  const tasks = (await bench.db.query('select count(*)::int as n from job_task where job = $1', [job.id])).rows[0].n;
  const visits = (await bench.db.query('select count(*)::int as n from fetch_history')).rows[0].n;
  await Promise.all(crew.map(end));
  await bench.close();
  return { servers, fetched, visits, seconds, tasks, rate: fetched / seconds };
}

async function scale(urls) {
  const found = [];
  for (const servers of [1, 2, 4]) found.push(await fetchRate(urls, servers));
  const base = found[0].rate;
  console.log(
    `\nFETCH of ${urls.length} pages on ${hosts} hosts, ${LATENCY_MS} ms latency, ${THREADS} threads a server; ${where()}\n`,
  );
  console.log(
    table(
      ['workers', 'pages', 'visits', 's', 'pages/s', 'ratio', 'tasks'],
      found.map((f) => [
        f.servers,
        f.fetched,
        f.visits,
        f.seconds.toFixed(1),
        f.rate.toFixed(0),
        (f.rate / base).toFixed(2),
        f.tasks,
      ]),
    ),
  );
}

/** What a crawl leaves, without what may differ between two: times, ids of batches. */
const LEFT = `select w.key, w.status, round(w.score::numeric, 4) as score, w.distance, w.signature, w.title,
    w.generate_mark is null and w.fetch_mark is null and w.parse_mark is null as closed,
    (select string_agg(i.source || ' ' || i.anchor, ',' order by i.source) from inlink i where i.crawl = w.crawl and i.host = w.host and i.key = w.key) as inlinks,
    p.outlink_keys from webpage w left join page_content p using (crawl, host, key) order by w.key`;

/** Seconds of a crawl by one server of four workers, and what it leaves. */
async function crawl(name, port, kills) {
  const bench = await arena(name, port);
  const server = await launch(bench.url, { role: 'worker', workers: 4 });
  await bench.alive(4);
  const seeds = (await axios.get(`http://127.0.0.1:${WEB_PORT + 1}/__seeds`)).data;
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
    seeds: seeds.trim().split('\n'),
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
  const calm = await crawl('calm', 8731, false);
  const struck = await crawl('struck', 8732, true);
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

/** kill -9 of all processes of a machine that nobody else can look into: only its silence tells. */
async function takeover(urls) {
  const bench = await arena('takeover', 8741);
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
  await until(() => axios.get(`http://127.0.0.1:${WEB_PORT + 1}/__seeds`));
  const urls = await truth();
  await warmUp(urls);
  if (parts.includes('scale')) await scale(urls);
  if (parts.includes('kill')) await kill();
  if (parts.includes('takeover')) await takeover(urls.slice(0, 3_000));
} finally {
  for (const child of children) await end(child);
  web.kill();
  await admin.end();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
