/**
 * `npm run bench:crawl [-- options]`: a whole crawl of real documentation, from the first request to the last row updated by UPDATEDB.
 * Server, workers, PostgreSQL and the web server (nginx) share the machine.
 *
 *   --corpus DIR      where corpus.mjs assembled its pages, or shall (default: below the temporary folder)
 *   --pages N, --hosts N   only the first hosts, until they have N pages, or N of them
 *   --jobs            single jobs over /job/create, PARSE apart, instead of POST /v1/crawls
 *   --peers crawlee,scrapy   the same pages by these crawlers afterwards, and the ratios
 *   --peers-only      without our own crawl
 *   --cap SECONDS     a peer is stopped then (default 100)
 *   --profile DIR     CPU profiles of all our processes, the dearest functions and SQL statements
 *   --work DIR        where data directories are made (default: the temporary folder)
 *   --set NAME=VALUE  a property of the crawl; may come several times
 *   --synthetic       the synthetic web of the shared folder instead; --hosts (50) times --pages (200)
 *   --keep            leaves the data directory
 *
 * The crawl has no delay, robots.txt is heeded, plugins are the default ones. What Nutch's defaults would leave out is let in, so that
 * every reachable page counts: all outlinks of a page, pages of any size.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assemble, defaultFolder, download, partOf } from './corpus.mjs';
import { usage, watchMemory } from './cpu.mjs';
import { crawlByJobs, crawlByOneCall, startServer } from './crawl-server.mjs';
import { storageReport } from './crawl-storage.mjs';
import { table, where } from './database.mjs';
import { nginxPid, startNginx } from './nginx.mjs';
import { measurePeers } from './peers/peers.mjs';
import { profileReport, saveWindow, statementReport } from './profile.mjs';
import { fileOf } from './reachable.mjs';
import { syntheticCorpus } from './synthetic.mjs';

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

const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string', default: defaultFolder() },
    port: { type: 'string', default: '8600' },
    pages: { type: 'string' },
    hosts: { type: 'string' },
    jobs: { type: 'boolean', default: false },
    peers: { type: 'string', default: '' },
    'peers-only': { type: 'boolean', default: false },
    cap: { type: 'string', default: '100' },
    profile: { type: 'string' },
    work: { type: 'string', default: tmpdir() },
    set: { type: 'string', multiple: true, default: [] },
    synthetic: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const number = (text, otherwise) => (text === undefined ? otherwise : Number(text));

/** Pages of the corpus folder, as the crawlers see them: a page is a file, whatever URLs it has. */
async function debianCorpus() {
  const all = assemble(options.corpus, Number(options.port), console.error);
  await startNginx(all, download);
  const part = partOf(all, { pages: number(options.pages, Infinity), hosts: number(options.hosts, Infinity) });
  const roots = new Map(part.hosts.map(({ address, root }) => [address, root]));
  return {
    label: `${part.truth.length} pages of Debian's documentation on ${part.hosts.length} hosts, mean ${(
      part.truth.reduce((sum, { size }) => sum + size, 0) /
      part.truth.length /
      1024
    ).toFixed(1)} KB`,
    seeds: part.seeds,
    truth: new Set(part.truth.map(({ address, path }) => address + path)),
    files: new Map(part.truth.map(({ address, path }) => [address + path, join(roots.get(address), path)])),
    urlOf: (page) => `http://${page.replace('/', `:${options.port}/`)}`,
    pageOf: (url) => {
      const { hostname, pathname } = new URL(url);
      const root = roots.get(hostname);
      const path = root && fileOf(root, pathname);
      return path && hostname + path;
    },
    webPid: () => nginxPid(options.corpus),
    stop: () => undefined,
  };
}

/** Microseconds of the clock that V8's profiles have. */
const monotonic = () => Number(process.hrtime.bigint() / 1000n);

const reachedOf = (corpus, urls) => new Set(urls.map(corpus.pageOf).filter((page) => corpus.truth.has(page))).size;

/** CPU milliseconds a page between two readings. */
const perPage = (before, after, pages) => (((after - before) * 1000) / pages).toFixed(2);

/** URLs of the pages whose content was fetched, from their row keys. */
const fetchedUrls = (server) =>
  server.query(async (client) => {
    const { rows } = await client.query(`select key from webpage where http_status = 200 and status in (2, 6)`);
    return rows.map(({ key }) => {
      const [, host, scheme, port, path] = /^([^:]+):(\w+)(?::(\d+))?(\/.*)$/s.exec(key);
      return `${scheme}://${host}${port ? `:${port}` : ''}${path}`;
    });
  });

/** One crawl of ours, measured; prints what it cost and answers its figures. */
async function measure(corpus) {
  mkdirSync(options.work, { recursive: true });
  const folder = mkdtempSync(join(options.work, 'orbweaver-crawl-'));
  // The database's own account must reach its folder.
  chmodSync(folder, 0o755);
  const server = await startServer(join(folder, 'data'), options.profile);
  try {
    const given = Object.fromEntries(options.set.map((one) => one.split(/=(.*)/s).slice(0, 2)));
    const params = { ...CONF, 'fetcher.parse': String(!options.jobs), ...given };
    await server.api.post('/config/create', { configId: CRAWL, params });
    const memory = watchMemory(server.pid);
    const before = usage(server.pid);
    const web = usage(corpus.webPid()).node;
    const spent = new Map();
    const began = performance.now();
    const window = [monotonic()];
    await (options.jobs
      ? crawlByJobs(server, CRAWL, corpus.seeds, timed(server, spent))
      : crawlByOneCall(server, CRAWL, corpus.seeds));
    const seconds = (performance.now() - began) / 1000;
    const after = usage(server.pid);
    if (options.profile) saveWindow(options.profile, [...window, monotonic()]);
    const peak = memory.stop();
    const urls = await fetchedUrls(server);
    const reached = reachedOf(corpus, urls);
    const webMs = perPage(web, usage(corpus.webPid()).node, reached);
    console.log(`Orbweaver, ${options.jobs ? 'single jobs' : 'POST /v1/crawls'}: ${corpus.label}; ${where()}\n`);
    const figures = {
      name: `Orbweaver${options.jobs ? ' (single jobs)' : ''}`,
      seconds,
      rate: reached / seconds,
      node: perPage(before.node, after.node, reached),
      postgres: perPage(before.postgres, after.postgres, reached),
      mb: peak.pssMb,
      reached,
      requests: urls.length,
    };
    console.log(
      table(
        [
          'pages',
          's',
          'pages/s',
          'Node CPU ms/page',
          'PostgreSQL CPU ms/page',
          'nginx',
          'peak MB (PSS)',
          'sum of VmHWM',
          'reached',
        ],
        [
          [
            urls.length,
            seconds.toFixed(1),
            figures.rate.toFixed(0),
            figures.node,
            figures.postgres,
            webMs,
            peak.pssMb.toFixed(0),
            peak.peaksMb.toFixed(0),
            `${((100 * reached) / corpus.truth.size).toFixed(2)} %`,
          ],
        ],
      ),
    );
    await tellMissing(corpus, urls);
    console.log(await timesReport(server, spent, reached));
    console.log(`\n${await storageReport(server, CRAWL, corpus, reached)}`);
    if (options.profile) console.log(`\n${await statementReport(server, reached)}`);
    return figures;
  } finally {
    await server.stop();
    if (!options.keep) rmSync(folder, { recursive: true, force: true });
  }
}

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

async function tellMissing(corpus, urls) {
  const reached = new Set(urls.map(corpus.pageOf));
  const missing = [...corpus.truth].filter((page) => !reached.has(page));
  if (missing.length > 0)
    console.log(`\nNot fetched: ${missing.slice(0, 20).join(' ')}${missing.length > 20 ? ' …' : ''}`);
}

/** Where the time went: by job type, and by round where the crawl is one job. */
async function timesReport(server, spent, pages) {
  if (spent.size > 0) {
    const cells = ([type, { seconds, node, postgres }]) => [
      type,
      seconds.toFixed(2),
      perPage(0, node, pages),
      perPage(0, postgres, pages),
    ];
    return `\n${table(['job', 's', 'Node CPU ms/page', 'PostgreSQL CPU ms/page'], [...spent].map(cells))}`;
  }
  const { rows } = await server.query((client) =>
    client.query(`select round, type, (result ->> 'generate.count')::int as generated, extract(epoch from ended_at - created_at)::float8 as s
                    from job where parent is not null order by number`),
  );
  const types = [...new Set(rows.map(({ type }) => type))];
  const rounds = [...new Set(rows.map(({ round }) => round))];
  const cell = (round, type) => rows.find((row) => row.round === round && row.type === type)?.s.toFixed(2) ?? '';
  return `\n${table(
    ['round', 'pages', ...types.map((type) => `${type} s`)],
    rounds.map((round) => [
      round,
      rows.find((row) => row.round === round && row.type === 'GENERATE')?.generated ?? '',
      ...types.map((type) => cell(round, type)),
    ]),
  )}`;
}

/** All crawlers in one table, with ours as so many times each of them. */
function comparison(figures, corpus) {
  const ours = options['peers-only'] ? undefined : figures[0];
  const head = [
    'crawler',
    's',
    'pages/s',
    'ours is',
    'CPU ms/page',
    'PostgreSQL CPU ms/page',
    'peak MB (PSS)',
    'reached',
  ];
  const rows = figures.map((one) => [
    one.name,
    one.seconds.toFixed(1),
    one.rate.toFixed(0),
    ours ? `${(ours.rate / one.rate).toFixed(2)} times` : '',
    one.node,
    one.postgres,
    one.mb.toFixed(0),
    `${((100 * one.reached) / corpus.truth.size).toFixed(1)} %`,
  ]);
  return `Side by side: ${corpus.label}; ${where()}\n\n${table(head, rows)}`;
}

const corpus = options.synthetic
  ? await syntheticCorpus(number(options.hosts, 50), number(options.pages, 200))
  : await debianCorpus();
try {
  const figures = options['peers-only'] ? [] : [await measure(corpus)];
  if (options.profile && figures[0]) console.log(`\n${profileReport(options.profile, figures[0].reached)}`);
  const names = options.peers.split(',').filter((name) => name !== '');
  const scratch = join(options.work, 'orbweaver-peers');
  figures.push(...(await measurePeers(names, corpus, { scratch, cap: Number(options.cap) })));
  if (names.length > 0) console.log(`\n${comparison(figures, corpus)}`);
} finally {
  corpus.stop();
}
