/**
 * The server under measurement: built, with its own PostgreSQL (fsync on) in a folder, driven over HTTP as a user would.
 * With `profile` its processes write CPU profiles there, and PostgreSQL counts its statements (pg_stat_statements).
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import pg from 'pg';

export const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));

async function until(check, seconds) {
  for (const end = Date.now() + seconds * 1000; ; await pause(100)) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) throw new Error('the server is not ready in time');
  }
}

/** Starts the server on `folder`, and more of them on its database; `profile` is the folder of CPU profiles. */
export async function startServer(folder, { profile, servers = 1 } = {}) {
  if (!profile) return withOthers(await launch(folder, {}), servers - 1, folder);
  // The library can only be loaded at start: once to say so, once to use it.
  const first = await launch(folder, {});
  await first.asSuperuser(async (client) => {
    await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
    await client.query(`alter system set pg_stat_statements.track_planning = on`);
  });
  await first.stop();
  mkdirSync(profile, { recursive: true });
  const server = await launch(folder, { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` });
  await server.asSuperuser((client) => client.query('create extension if not exists pg_stat_statements'));
  return server;
}

/** More servers on the database of the first, each with as many workers. Their cost is not measured. */
async function withOthers(first, count, folder) {
  const others = [];
  for (let i = 1; i <= count; i++) others.push(await launch(`${folder}-${i}`, { DATABASE_URL: first.url }));
  const stop = async () => {
    for (const other of others) await other.stop();
    return first.stop();
  };
  return { ...first, stop };
}

/** Cleans up when a benchmark is interrupted. */
export function endWithUs(child) {
  for (const signal of ['SIGINT', 'SIGTERM'])
    if (process.listenerCount(signal) === 0) process.on(signal, () => process.exit(1));
  process.on('exit', () => child.kill('SIGTERM'));
}

/** Workers take a second or two to load, which is not part of the measured cost of a crawl. */
function workersReady(api) {
  const wanted = Number(process.env.WORKERS ?? Math.min(4, cpus().length));
  return until(async () => (await api.get('/v1/workers')).data.workers.length >= wanted, 60);
}

/** A free port: with a fixed one, two concurrent benchmarks would use the same server. */
export function freePort() {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function launch(folder, env) {
  const port = await freePort();
  // As `npm start` does.
  const child = spawn(process.execPath, ['--max-semi-space-size=4', 'dist/src/main.js'], {
    env: { ...process.env, PORT: String(port), DATA_DIR: folder, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  endWithUs(child);
  const api = axios.create({ baseURL: `http://127.0.0.1:${port}`, maxBodyLength: Infinity });
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  try {
    await until(() => api.get('/health/ready'), 60);
    await workersReady(api);
  } catch (error) {
    await stop();
    throw error;
  }
  const url = env.DATABASE_URL ?? readFileSync(join(folder, 'postgres.url'), 'utf8').trim();
  const connected = async (connectionString, work) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  return {
    api,
    pid: child.pid,
    url,
    query: (work) => connected(url, work),
    asSuperuser: (work) => connected(url.replace('//orbweaver@', '//postgres@'), work),
    stop,
  };
}

/** Polling interval for the state of a crawl: with 50 ms, answers took some percent of the crawl's CPU time. */
const ASKED_MS = 200;

/** `POST /v1/crawls` until nothing is due; returns the ended job. */
export async function crawlByOneCall({ api }, crawlId, { seeds, index = false }) {
  const { data: job } = await api.post('/v1/crawls', { crawlId, confId: crawlId, seeds, index });
  for (;;) {
    const { data } = await api.get(`/v1/crawls/${job.id}`);
    if (data.state === 'FINISHED') return data;
    if (!['IDLE', 'RUNNING'].includes(data.state)) throw new Error(`crawl: ${data.msg}`);
    await pause(ASKED_MS);
  }
}

async function runJob(api, crawlId, type, args) {
  const { data } = await api.post('/job/create', { type, crawlId, confId: crawlId, args });
  for (;;) {
    const { data: now } = await api.get(`/job/${data.id}`);
    if (now.state === 'FINISHED') return now;
    if (!['IDLE', 'RUNNING'].includes(now.state)) throw new Error(`${type}: ${now.msg}`);
    await pause(20);
  }
}

/** Single jobs over `/job/create`, round by round, with a separate PARSE job; `around(type, run)` measures each. */
export async function crawlByJobs({ api }, crawlId, seeds, around) {
  const job = (type, args) => around(type, () => runJob(api, crawlId, type, args));
  await job('INJECT', { seed: seeds.join('\n') });
  for (let rounds = 0; ; rounds += 1) {
    const { result } = await job('GENERATE', {});
    if (result['generate.count'] === 0) return { rounds };
    const batch = result['generate.batch.id'];
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB']) await job(type, { batch });
  }
}
