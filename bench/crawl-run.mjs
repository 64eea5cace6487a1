/** One crawl of ours, measured: what it cost, where the time went, what it left in the database. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startMeter, usage } from './cpu.mjs';
import { crawlByJobs, crawlByOneCall, startServer } from './crawl-server.mjs';
import { storageReport } from './crawl-storage.mjs';
import { table, where } from './database.mjs';
import { saveWindow, statementReport } from './profile.mjs';

const CRAWL = 'bench';
const CONF = {
  'http.agent.name': 'orbweaver-bench',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.threads.fetch': '64',
  'fetcher.threads.per.queue': '8',
  'db.max.outlinks.per.page': '-1',
  'db.ignore.external.links': 'true',
  'http.content.limit': '-1',
};

/** Microseconds of the clock that V8's profiles have. */
const monotonic = () => Number(process.hrtime.bigint() / 1000n);
const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)} %`;
const perPage = (seconds, pages) => ((seconds * 1000) / pages).toFixed(2);

/** URLs of the pages whose content was fetched, from their row keys. */
const fetchedUrls = (server) =>
  server.query(async (client) => {
    const { rows } = await client.query(`select key from webpage where http_status = 200 and status in (2, 6)`);
    return rows.map(({ key }) => {
      const [, host, scheme, port, path] = /^([^:]+):(\w+)(?::(\d+))?(\/.*)$/s.exec(key);
      return `${scheme}://${host}${port ? `:${port}` : ''}${path}`;
    });
  });

/** Measures each single job: seconds and CPU by type. */
function timed(server, spent) {
  return async (type, run) => {
    const began = performance.now();
    const before = usage(server.pid);
    const done = await run();
    const after = usage(server.pid);
    const sum = spent.get(type) ?? { seconds: 0, node: 0, postgres: 0 };
    sum.seconds += (performance.now() - began) / 1000;
    sum.node += after.node - before.node;
    sum.postgres += after.postgres - before.postgres;
    spent.set(type, sum);
    return done;
  };
}

/** Seconds and CPU of single jobs, by type. */
const jobsTable = (spent, pages) =>
  table(
    ['job', 's', 'Node CPU ms/page', 'PostgreSQL CPU ms/page'],
    [...spent].map(([type, { seconds, node, postgres }]) => [
      type,
      seconds.toFixed(2),
      perPage(node, pages),
      perPage(postgres, pages),
    ]),
  );

/** Seconds of each step of a crawl by rounds, and from the start of the first FETCH to the end of the last UPDATEDB. */
async function roundsReport(server) {
  const { rows } = await server.query((client) =>
    client.query(`select round, type, (result ->> 'generate.count')::int as generated, extract(epoch from created_at)::float8 as began,
                         extract(epoch from ended_at)::float8 as ended
                    from job where parent is not null order by number`),
  );
  const types = [...new Set(rows.map(({ type }) => type))];
  const find = (round, type) => rows.find((row) => row.round === round && row.type === type);
  const seconds = (row) => (row ? (row.ended - row.began).toFixed(2) : '');
  const cells = [...new Set(rows.map(({ round }) => round))].map((round) => [
    round,
    find(round, 'GENERATE')?.generated ?? '',
    ...types.map((type) => seconds(find(round, type))),
  ]);
  const first = rows.find(({ type }) => type === 'FETCH').began;
  const last = rows.findLast(({ type }) => type === 'UPDATEDB').ended;
  const span = `From the start of the first FETCH to the end of the last UPDATEDB: ${(last - first).toFixed(1)} s`;
  return `${table(['round', 'pages', ...types.map((type) => `${type} s`)], cells)}\n\n${span}`;
}

function costTable(cost, corpus) {
  const { reached, requests } = cost;
  const row = {
    pages: requests,
    s: cost.seconds.toFixed(1),
    'pages/s': cost.rate.toFixed(0),
    'Node CPU ms/page': perPage(cost.node, reached),
    'PostgreSQL CPU ms/page': perPage(cost.postgres, reached),
    'web server CPU ms/page': perPage(cost.web, reached),
    'CPU of all these': percent(cost.busy),
    'CPU of others': percent(cost.others),
    'peak MB (PSS)': cost.pssMb.toFixed(0),
    reached: percent(reached / corpus.truth.size, 2),
  };
  return `${table(Object.keys(row), [Object.values(row)])}\n\nPeaks of resident memory (VmHWM), MB: ${cost.each}; sum ${cost.peaksMb.toFixed(0)}`;
}

function missingPages(corpus, urls) {
  const reached = new Set(urls.map(corpus.pageOf));
  const missing = [...corpus.truth].filter((page) => !reached.has(page));
  if (missing.length === 0) return '';
  return `\nNot fetched: ${missing.slice(0, 20).join(' ')}${missing.length > 20 ? ' …' : ''}\n`;
}

async function report(server, corpus, { cost, urls, spent, jobs, profile }) {
  console.log(`Orbweaver, ${jobs ? 'single jobs' : 'POST /v1/crawls'}: ${corpus.label}; ${where()}\n`);
  console.log(costTable(cost, corpus));
  console.log(missingPages(corpus, urls));
  console.log(jobs ? jobsTable(spent, cost.reached) : await roundsReport(server));
  console.log(`\n${await storageReport(server, CRAWL, corpus, cost.reached)}`);
  if (profile) console.log(`\n${await statementReport(server, cost.reached)}`);
}

/**
 * Crawls the corpus with a new server and prints what it cost; returns the figures of the comparison. `jobs`: by single jobs
 * instead of one call; `properties`: more of the configuration; `index`: pages are indexed, too; `profile`: folder of CPU profiles; `keep`: leaves the data
 * directory.
 */
export async function measureCrawl(corpus, { work, jobs, profile, keep, servers, properties, index }) {
  mkdirSync(work, { recursive: true });
  const folder = mkdtempSync(join(work, 'orbweaver-crawl-'));
  // The database's own account must reach its folder.
  chmodSync(folder, 0o755);
  const server = await startServer(join(folder, 'data'), { profile, servers });
  try {
    const params = { ...CONF, 'fetcher.parse': String(!jobs), ...properties };
    await server.api.post('/config/create', { configId: CRAWL, params });
    const spent = new Map();
    const from = monotonic();
    const meter = startMeter(server.pid, corpus.webPid());
    await (jobs
      ? crawlByJobs(server, CRAWL, corpus.seeds, timed(server, spent))
      : crawlByOneCall(server, CRAWL, { seeds: corpus.seeds, index }));
    const measured = meter.stop();
    if (profile) saveWindow(profile, [from, monotonic()]);
    const urls = await fetchedUrls(server);
    const reached = new Set(urls.map(corpus.pageOf).filter((page) => corpus.truth.has(page))).size;
    const name = `Orbweaver${jobs ? ' (single jobs)' : ''}`;
    const cost = { name, ...measured, reached, requests: urls.length, rate: reached / measured.seconds };
    await report(server, corpus, { cost, urls, spent, jobs, profile });
    return cost;
  } finally {
    await server.stop();
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}
