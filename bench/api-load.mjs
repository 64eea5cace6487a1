/**
 * Effect of hostile load on the API: slow sockets, a flood of job creations, exports of a whole crawl, and the request bodies
 * that take most CPU time.
 *
 * The server is the built program with ROLE=api, so that its memory is that of the API alone; its PostgreSQL is started
 * here. During each attack, one normal client requests its health, its configurations and one page, ten times per second:
 * its waiting times are those of other clients, too. Settings: SOCKETS, CREATIONS, ROWS, STREAMS, HEAVY, HEAVY_SECONDS, PARTS.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openBench, table, where } from './database.mjs';

const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const sockets = number('SOCKETS', 1_000);
const creations = number('CREATIONS', 10_000);
const rows = number('ROWS', 1_000_000);
const streams = number('STREAMS', 40);
const heavyClients = number('HEAVY', 20);
const heavySeconds = number('HEAVY_SECONDS', 60);
const parts = (process.env.PARTS ?? 'slow,flood,export,heavy').split(',');
const MiB = 2 ** 20;

/** Starts the API on a database; returns its address and its process id. */
async function startApi(url) {
  const program = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-load-'));
  const env = { ...process.env, ROLE: 'api', DATABASE_URL: url, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  const address = await new Promise((resolve, reject) => {
    child.stdout.on('data', (part) => {
      said += part;
      const ready = /ready: (http:\S+?)\/docs/.exec(said);
      if (ready) resolve(ready[1]);
    });
    child.once('exit', () => reject(new Error(`the server ended: ${said}`)));
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, port: Number(new URL(address).port), pid: child.pid, stop };
}

/** Resident memory of a process, and its peak, in bytes. */
function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
  return { now: of('VmRSS'), max: of('VmHWM') };
}

/** One request: status, milliseconds, headers. The status is 0 if the connection breaks, or is closed after `patience` ms. */
function ask({ port }, path, { method = 'GET', body, headers = {}, agent, patience } = {}) {
  const began = performance.now();
  return new Promise((resolve) => {
    const done = (status, head = {}) => resolve({ status, ms: performance.now() - began, headers: head });
    const call = request({ port, host: '127.0.0.1', path, method, headers, agent }, (answer) => {
      answer.resume().once('end', () => done(answer.statusCode, answer.headers));
      answer.once('error', () => done(0));
    });
    call.once('error', () => done(0));
    call.end(body);
    if (patience !== undefined) setTimeout(() => call.destroy(), patience);
  });
}

/** The normal client: sends requests until it is stopped; returns their results. It has an address of its own, like others. */
function politeClient(server, paths) {
  let going = true;
  const met = [];
  let max = 0;
  const agent = new Agent({ keepAlive: false, localAddress: '127.0.0.9' });
  const asking = (async () => {
    for (let n = 0; going; n++) {
      const path = paths[n % paths.length];
      met.push({ path, ...(await ask(server, path, { agent })) });
      max = Math.max(max, memory(server.pid).now);
      await sleep(100);
    }
  })();
  return async () => {
    going = false;
    await asking;
    const of = (path) => met.filter((one) => path === undefined || one.path === path);
    const slowest = (path) => Math.round(Math.max(0, ...of(path).map(({ ms }) => ms)));
    const sorted = of()
      .map(({ ms }) => ms)
      .sort((a, b) => a - b);
    return {
      asked: met.length,
      refused: met.filter(({ status }) => status !== 200).length,
      median: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      p99: Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0),
      slowest: slowest(),
      slowestHealth: slowest('/health/live'),
      max,
    };
  };
}

const polite = ['/health/live', '/config', '/health/ready', '/v1/pages?crawlId=bench&limit=1'];
const results = [];
const report = (what, before, { asked, refused, median, p99, slowest, slowestHealth, max }, words) =>
  results.push([
    what,
    `${asked - refused} of ${asked}`,
    median,
    p99,
    slowest,
    slowestHealth,
    ((max - before) / MiB).toFixed(0),
    words,
  ]);

/** Sockets that send their header or body a byte at a time, or request much and read nothing. */
async function slowSockets(server) {
  const query = JSON.stringify({ crawlId: 'bench', limit: 10_000 });
  const kinds = [
    () => 'GET /config HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ',
    () =>
      'POST /seed/create HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n{',
    () =>
      `POST /db HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${query.length}\r\n\r\n${query}`,
  ];
  const before = memory(server.pid).now;
  const stop = politeClient(server, polite);
  const all = Array.from({ length: sockets }, (_, n) => {
    const kind = n % 3;
    const socket = connect(server.port, '127.0.0.1', () => socket.write(kinds[kind]()));
    socket.on('error', () => undefined);
    if (kind === 2) socket.pause();
    else socket.resume();
    return { socket, kind };
  });
  const drip = setInterval(() => {
    for (const { socket, kind } of all) if (kind !== 2 && socket.writable) socket.write('x');
  }, 1_000);
  await sleep(20_000);
  const open = all.filter(({ socket }) => !socket.destroyed).length;
  const met = await stop();
  clearInterval(drip);
  for (const { socket } of all) socket.destroy();
  report(`${sockets} slow sockets for 20 s`, before, met, `${open} still open at the end`);
}

/** Job creations at the given rate, evenly over ten seconds. */
async function flood(server) {
  const before = memory(server.pid).now;
  const stop = politeClient(server, polite);
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const body = JSON.stringify({ type: 'GENERATE', crawlId: 'flood', args: {} });
  const statuses = {};
  let without = 0;
  const began = performance.now();
  const calls = [];
  for (let sent = 0; sent < creations;) {
    const due = Math.min(creations, Math.ceil(((performance.now() - began) / 10_000) * creations));
    for (; sent < due; sent++) {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
      const call = ask(server, '/job/create', { method: 'POST', body, headers, agent });
      calls.push(
        call.then(({ status, headers: { 'retry-after': wait } }) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (status === 429 && wait === undefined) without += 1;
        }),
      );
    }
    await sleep(10);
  }
  await Promise.all(calls);
  const seconds = (performance.now() - began) / 1_000;
  const met = await stop();
  agent.destroy();
  const words = Object.entries(statuses)
    .map(([status, n]) => `${n} × ${status}`)
    .join(', ');
  report(
    `${creations} POST /job/create`,
    before,
    met,
    `${words}; ${without} of 429 without Retry-After; ${seconds.toFixed(1)} s`,
  );
}

/** Reads an answer to its end: number of lines, bytes and seconds. */
function readAll(server, path, { method = 'GET', body, headers = {} } = {}) {
  const began = performance.now();
  return new Promise((resolve) => {
    let lines = 0;
    let bytes = 0;
    const call = request({ port: server.port, host: '127.0.0.1', path, method, headers }, (answer) => {
      answer.on('data', (part) => {
        bytes += part.length;
        for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines += 1;
      });
      const done = () =>
        resolve({
          status: answer.statusCode,
          lines,
          bytes,
          whole: answer.complete,
          seconds: (performance.now() - began) / 1_000,
        });
      answer.once('close', done);
    });
    call.once('error', () => resolve({ status: 0, lines, bytes, whole: false, seconds: 0 }));
    call.end(body);
  });
}

const post = (value) => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'Content-Type': 'application/json' },
});
const exports_ = {
  'NDJSON, GET /v1/pages': ['/v1/pages?crawlId=bench&limit=all', { headers: { Accept: 'application/x-ndjson' } }],
  'CSV, POST /db/crawldb': [
    '/db/crawldb',
    post({ type: 'dump', crawlId: 'bench', confId: 'default', args: { format: 'csv' } }),
  ],
};

/** Exports of whole crawls: one, then more of them at once than there are permits, then clients that do not read. */
async function exportAll(server) {
  for (const [name, [path, how]] of Object.entries(exports_)) {
    const before = memory(server.pid).now;
    const stop = politeClient(server, polite);
    const { lines, bytes, whole, seconds } = await readAll(server, path, how);
    const met = await stop();
    const words = `${lines} lines, ${(bytes / MiB).toFixed(0)} MiB, ${whole ? 'whole' : 'CUT'}, ${Math.round(lines / seconds)} lines/s`;
    report(name, before, met, words);
  }
  const [path, how] = Object.values(exports_)[0];
  const before = memory(server.pid).now;
  const stop = politeClient(server, polite);
  const under = [];
  for (let n = 0; n < streams; n++) {
    const reading = get({ port: server.port, host: '127.0.0.1', path, ...how }, (answer) => {
      under.push({ answer, status: answer.statusCode });
      if (n % 2 === 0) answer.resume();
    });
    reading.on('error', () => undefined);
  }
  await sleep(15_000);
  const met = await stop();
  const statuses = Object.entries(Object.groupBy(under, ({ status }) => status)).map(
    ([status, all]) => `${all.length} × ${status}`,
  );
  for (const { answer } of under) answer.destroy();
  report(`${streams} exports at once, every second one unread, 15 s`, before, met, statuses.join(', '));
}

/** The most expensive known bodies of each call that computes: [method, path, body, content type]. */
function worstBodies() {
  const times = (n, make) => Array.from({ length: n }, (_, at) => make(at)).join('');
  const base64 = (text) => Buffer.from(text).toString('base64');
  const json = (value) => JSON.stringify(value);
  const page = (text) => json({ url: 'http://site.test/', contentBase64: base64(text), contentType: 'text/html' });
  const rules = times(1_000, (n) => `+^https?://([a-z0-9-]+\\.){1,8}site${n}\\.test/(?i)[\\p{L}\\p{N}]{1,90}\n`);
  const regexes = times(270, (n) => `+(?i)[\\p{L}\\p{N}]{1,900}${n}\n`);
  return [
    ['POST', '/v1/inspect/parse', page(times(70_000, (n) => `<a href=/${n}>x</a>`))],
    ['POST', '/v1/inspect/parse', page(times(300_000, () => '<b>'))],
    [
      'POST',
      '/v1/inspect/robots',
      json({
        url: `/${'a'.repeat(8_000)}`,
        robotsTxt: `User-agent: *\n${times(70_000, (n) => `Disallow: /*a*b${n}\n`)}`,
        agent: 'orbweaver',
      }),
    ],
    [
      'POST',
      '/v1/inspect/url',
      json({ url: `http://site.test/${'/../a'.repeat(3_000)}`, crawlId: 'bench', confId: 'heavy' }),
    ],
    ['POST', '/v1/inspect/url', json({ url: 'http://site.test/', more: [[]].concat(Array(600_000).fill([])) })],
    [
      'POST',
      '/v1/inspect/schedule',
      json({ page: { metadata: { a: 'x'.repeat(1_900_000) } }, outcome: { httpStatus: 200 } }),
    ],
    ['POST', '/v1/inspect/generate', json({ crawlId: 'bench', confId: 'heavy', args: { topN: 100_000 } })],
    ['POST', '/v1/inspect/fetch', json({ url: 'http://127.0.0.1:9/', confId: 'heavy' })],
    ['POST', '/config/create', json({ params: { 'urlfilter.regex.rules': rules } })],
    ['POST', '/config/create', json({ params: { 'urlfilter.regex.rules': regexes } })],
    [
      'POST',
      '/config/create',
      json({ params: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`a.b${n}`, '${a.b1}'])) }),
    ],
    ['PUT', '/config/heavy/urlfilter.regex.rules', rules, 'text/plain'],
    ['GET', '/config/heavy', ''],
    ['PUT', '/v1/rule-files/urls.txt', times(60_000, (n) => `+^http://site${n}/\n`), 'text/plain'],
    ['PUT', '/v1/rule-files/regex-urlfilter.txt', regexes, 'text/plain'],
    [
      'POST',
      '/seed/create',
      json({ name: 's', seedUrls: Array.from({ length: 400_000 }, (_, n) => ({ url: `http://a/${n}` })) }),
    ],
    [
      'POST',
      '/job/create',
      json({ type: 'INJECT', crawlId: 'x', args: { seed: times(900_000, (n) => `http://a/${n}\n`) } }),
    ],
    ['POST', '/job/create', json({ type: 'GENERATE', crawlId: 'x', confId: 'heavy', args: {} })],
    [
      'POST',
      '/v1/crawls',
      json({ crawlId: 'x', confId: 'heavy', seeds: times(30_000, (n) => `http://site.test/${n}\n`) }),
    ],
    ['GET', '/v1/pages/http%3A%2F%2Fsite.test%2F?crawlId=bench&confId=heavy', ''],
  ];
}

/** Twenty clients that repeat the most expensive calls, and close the connection during every fifth call. */
async function heavy(server) {
  const bodies = worstBodies();
  const setUp = {
    configId: 'heavy',
    params: {
      'http.agent.name': 'bench',
      'urlfilter.regex.rules': `${Array.from({ length: 999 }, (_, n) => `+^http://[a-z0-9]{1,60}x${n}\n`).join('')}+.`,
    },
  };
  const { status } = await ask(server, '/config/create', post(setUp));
  if (status !== 200) throw new Error(`the configuration was not made: ${status}`);
  const before = memory(server.pid).now;
  const stop = politeClient(server, ['/health/live', '/job']);
  const until = performance.now() + heavySeconds * 1_000;
  const statuses = {};
  const clients = Array.from({ length: heavyClients }, async (_, client) => {
    const agent = new Agent({ keepAlive: false, localAddress: `127.0.1.${client + 1}` });
    for (let n = client; performance.now() < until; n++) {
      const [method, path, body, type = 'application/json'] = bodies[n % bodies.length];
      const headers = method === 'GET' ? {} : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
      const patience = n % 5 === 0 ? 300 : undefined;
      const { status: answered } = await ask(server, path, { method, body, headers, agent, patience });
      const word = answered === 0 ? 'left' : String(answered);
      statuses[word] = (statuses[word] ?? 0) + 1;
      if (answered === 429) await sleep(100);
    }
  });
  await sleep(heavySeconds * 1_000);
  const met = await stop();
  await Promise.all(clients);
  const words = Object.entries(statuses)
    .map(([status, n]) => `${n} × ${status}`)
    .join(', ');
  report(`${heavyClients} clients with the worst bodies, ${heavySeconds} s`, before, met, words);
}

const bench = await openBench();
try {
  if (['export', 'slow', 'heavy'].some((part) => parts.includes(part))) {
    const { fillKnownUrls } = await import('./known-urls.mjs');
    await fillKnownUrls(bench.pool, rows);
    await bench.pool.query(
      `insert into host (crawl, host, domain, n_unfetched, n_fetched)
       select crawl, host, host, count(*) filter (where status = 1), count(*) filter (where status = 2)
         from webpage group by crawl, host
       on conflict (crawl, host) do update set n_unfetched = excluded.n_unfetched, n_fetched = excluded.n_fetched`,
    );
  }
  const server = await startApi(bench.url);
  try {
    for (let n = 0; n < 200; n++) await ask(server, polite[n % polite.length]);
    if (parts.includes('slow')) await slowSockets(server);
    if (parts.includes('flood')) await flood(server);
    if (parts.includes('export')) await exportAll(server);
    if (parts.includes('heavy')) await heavy(server);
  } finally {
    await server.stop();
  }
} finally {
  await bench.close();
}
console.log(`${where()}; ${rows} pages\n`);
console.log(
  table(
    [
      'under',
      'polite requests answered',
      'median ms',
      '99th percentile ms',
      'slowest ms',
      'slowest /health/live ms',
      'memory, + MiB',
      'what came of it',
    ],
    results,
  ),
);
