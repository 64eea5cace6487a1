/**
 * `npm run bench:crawl [-- options]`: a whole crawl of real documentation, from the first request to the last row updated by
 * UPDATEDB. Server, workers, PostgreSQL and the web server (nginx) share the machine.
 *
 *   --corpus DIR      folder of the corpus, assembled if missing (default: below the temporary folder)
 *   --pages N, --hosts N   only the first hosts, until they have N pages, or N of them
 *   --jobs            single jobs over /job/create, PARSE apart, instead of POST /v1/crawls
 *   --also-jobs       both, one after the other, in one table
 *   --peers crawlee,scrapy   the same pages by these crawlers afterwards, and the ratios
 *   --peers-only      without our own crawl
 *   --cap SECONDS     time after which a peer is stopped (default 100)
 *   --profile DIR     CPU profiles of all our processes, the most expensive functions and SQL statements
 *   --work DIR        folder for data directories (default: the temporary folder)
 *   --polite          one request per host at a time, 40 ms between two; compares the time with that of the largest host alone,
 *                     from the log of the web server
 *   --index           with `index`: INDEX and CLEAN beside FETCH, and at the end
 *   --set NAME=VALUE  a property of the crawl; can be repeated
 *   --synthetic       the synthetic web instead; --hosts (50) times --pages (200)
 *   --servers N       number of servers on one database, each with its workers (WORKERS); the cost is that of the first
 *   --keep            keeps the data directory
 *
 * The crawl has no delay, uses robots.txt and the default plugins. Limits of Nutch's defaults are lifted, so that every reachable
 * page counts: all outlinks of a page, pages of any size.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { assemble, defaultFolder, download, partOf } from './corpus.mjs';
import { measureCrawl } from './crawl-run.mjs';
import { table, where } from './database.mjs';
import { nginxPid, startNginx, stopNginx } from './nginx.mjs';
import { measurePeers } from './peers/peers.mjs';
import { politenessReport } from './politeness.mjs';
import { profileReport } from './profile.mjs';
import { fileOf } from './reachable.mjs';
import { syntheticCorpus } from './synthetic.mjs';

const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string', default: defaultFolder() },
    port: { type: 'string', default: '8600' },
    pages: { type: 'string' },
    hosts: { type: 'string' },
    jobs: { type: 'boolean', default: false },
    'also-jobs': { type: 'boolean', default: false },
    peers: { type: 'string', default: '' },
    'peers-only': { type: 'boolean', default: false },
    cap: { type: 'string', default: '100' },
    profile: { type: 'string' },
    work: { type: 'string', default: tmpdir() },
    set: { type: 'string', multiple: true, default: [] },
    polite: { type: 'boolean', default: false },
    index: { type: 'boolean', default: false },
    synthetic: { type: 'boolean', default: false },
    servers: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
});
/** Delay of a host in a polite crawl, ms. */
const DELAY_MS = 40;
const POLITE = { 'fetcher.server.delay': String(DELAY_MS / 1000), 'fetcher.threads.per.queue': '1' };
const number = (text, otherwise) => (text === undefined ? otherwise : Number(text));

/** Pages of the corpus folder as seen by the crawlers: a page is a file, whatever its URLs. */
async function debianCorpus() {
  const all = assemble(options.corpus, Number(options.port), console.error);
  const log = options.polite ? join(options.corpus, 'nginx/access.log') : undefined;
  if (log) await logAnew(all, log);
  await startNginx(all, download, log);
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
    log,
    webPid: () => nginxPid(options.corpus),
    stop: () => log && stopNginx(options.corpus),
  };
}

/** The web server with an empty log. */
async function logAnew({ folder }, log) {
  stopNginx(folder);
  for (const end = Date.now() + 10_000; nginxPid(folder) !== undefined; await sleep(50))
    if (Date.now() > end) throw new Error('nginx does not stop');
  rmSync(log, { force: true });
}

/** All crawlers in one table, with the ratio of ours to each of them. */
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
    'CPU of others',
    'reached',
  ];
  const rows = figures.map((one) => [
    one.name,
    one.seconds.toFixed(1),
    one.rate.toFixed(0),
    ours ? `${(ours.rate / one.rate).toFixed(2)} times` : '',
    ((one.node * 1000) / one.reached).toFixed(2),
    one.postgres > 0 ? ((one.postgres * 1000) / one.reached).toFixed(2) : '',
    one.pssMb.toFixed(0),
    `${(100 * one.others).toFixed(0)} %`,
    `${((100 * one.reached) / corpus.truth.size).toFixed(1)} %`,
  ]);
  return `Side by side: ${corpus.label}; ${where()}\n\n${table(head, rows)}`;
}

const corpus = options.synthetic
  ? await syntheticCorpus(number(options.hosts, 50), number(options.pages, 200))
  : await debianCorpus();
try {
  const { work, jobs, profile, keep, index } = options;
  const servers = Number(options.servers);
  const set = options.set.map((one) => one.split(/=(.*)/s).slice(0, 2));
  const properties = { ...(options.polite && POLITE), ...Object.fromEntries(set) };
  const figures = options['peers-only']
    ? []
    : [await measureCrawl(corpus, { work, jobs, profile, keep, servers, properties, index })];
  if (corpus.log && figures[0]) console.log(`\n${politenessReport(corpus.log, DELAY_MS, figures[0].seconds)}`);
  if (profile && figures[0]) console.log(`\n${profileReport(profile, figures[0].reached)}`);
  if (options['also-jobs']) figures.push(await measureCrawl(corpus, { work, jobs: true, keep, properties }));
  const names = options.peers.split(',').filter((name) => name !== '');
  const scratch = join(work, 'orbweaver-peers');
  figures.push(...(await measurePeers(names, corpus, { scratch, cap: Number(options.cap) })));
  if (figures.length > 1 || names.length > 0) console.log(`\n${comparison(figures, corpus)}`);
} finally {
  await corpus.stop();
}
