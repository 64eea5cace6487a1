/**
 * A deterministic web of hosts × pages for developing and measuring the crawler: the same seed gives the same bytes, links,
 * failures and times of change on any machine.
 *
 *   node bench/synthetic-web/main.mjs [--port 8500] [--hosts 50] [--pages 200] [--seed 1] [--workers 1] [options]
 *
 * Host number h, from 0, is http://127.0.1.<h+1>:PORT/ (up to 250 hosts), and at any address what the Host header
 * host<h>.synthetic.test names. Page 0 is "/", page i is "/s<i mod 17>/p<i>.html". Each links to its children in a tree of twelve
 * a page, so that all are reachable from "/", to its parent, to pages of its host and of others, and out of the web.
 *
 *   --by ip           links to other hosts use addresses; `name`: names
 *   --size 32         median KiB of a body; log-normal with sigma 0.7, from 2 to 400
 *   --links 30-100    links of a page; --external 0.1 share of these to other hosts
 *   --latency 0       ms before an answer; --jitter 0 up to so many more, at random
 *   --gzip 1          gzip for clients that take it
 *   --cache 512       MiB of bodies that each process keeps
 *   --errors 0        share of pages of each of these kinds: e500, e503 (Retry-After: 2), e404, e410, flaky (503 twice, then
 *                     200), slow (5 s), stall (half of the body, then nothing for 60 s), reset (no answer), cut (half of the
 *                     body), redir (1 to 4 redirects), loop (to itself), away (to another host), long (12 redirects), badgzip,
 *                     wrongcharset (header says UTF-8, bytes are windows-1251), metacharset (EUC-JP, said by <meta> only),
 *                     nocharset (UTF-8, said nowhere), huge (12 MB), deep (40,000 nested <div>), empty, notype (no
 *                     Content-Type), liar (PNG called HTML), noindex, nofollow, canonical, base, refresh, longurl
 *   --traps 0         1: a calendar without end, session ids, a path that repeats itself
 *   --robots 1        0: none. 1: forbids /private/ (but /private/open/) and /*.cgi$, both linked; names the sitemap. 2: and
 *                     Crawl-delay: --delay (1). 3: and of hosts by h mod 7: 3 answers 503, 4 has none, 5 redirects to its
 *                     neighbour's, 6 forbids all
 *   --dups 0.05       share of exact copies of another page; --near 0.05 of pages that differ from another in a date and a word
 *   --validators 1    ETag and Last-Modified, 304 to conditional requests
 *   --churn 0         share of pages that change every --epoch 60 seconds
 *   --workers N       processes; --stats 0 keeps no records; --log 1 keeps the last requests
 *   --control PORT+1  port of the control server on 127.0.0.1:
 *       /__seeds   one URL a host
 *       /__truth   each page: URL, status, kind, md5 of its body; tabs between. It makes every page
 *       /__stats   totals and for each host: requests, bytes, statuses, distinct URLs, repeats, most requests under way at
 *                  once, least and median gap (ms) between two starts, least pause from an end to the next start, robots.txt,
 *                  violations of it
 *       /__log     time, host, method, target, status, bytes of the last requests; tabs between
 *       /__stall   longest time (ms) that a process was held up since this was last asked: by so much an end is noted late
 *       /__reset   forgets all requests
 *
 * A host was crawled politely, with D ms of delay, when maxConcurrent is 1 and minIdleMs is D or more.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { questionsOf, startControl } from './control.mjs';
import { Graph } from './graph.mjs';
import { optionsOf } from './options.mjs';
import { Pages } from './pages.mjs';
import { Requests } from './requests.mjs';

const KEEP_ALIVE_MS = 75_000;
const BACKLOG = 4_096;

function fail(error) {
  console.error(error.message);
  process.exit(2);
}

/** Options of the command line; one that is wrong ends the process with 2. */
function given() {
  try {
    return optionsOf(process.argv.slice(2));
  } catch (error) {
    return fail(error);
  }
}

const options = given();
const pages = new Pages(new Graph(options));

/** Serves pages in this process; returns its query functions. */
function serve() {
  const requests = new Requests(pages);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (req, res) => requests.handle(req, res));
  server.on('clientError', (_error, socket) => socket.destroy());
  server.on('error', fail).listen({ port: options.port, host: '0.0.0.0', backlog: BACKLOG });
  return { server, questions: questionsOf(requests) };
}

/** Starts processes that serve pages; returns a function that queries them all. A process answers queries in order. */
async function fork() {
  cluster.schedulingPolicy = cluster.SCHED_NONE; // The kernel hands out connections.
  const workers = Array.from({ length: options.workers }, () => cluster.fork());
  await Promise.all(workers.map((worker) => once(worker, 'listening')));
  cluster.on('exit', (_worker, code) => fail(new Error(`a process of the synthetic web ended with ${code}`)));
  const askOne = async (worker, question) => {
    const answered = once(worker, 'message');
    worker.send(question);
    return (await answered)[0];
  };
  let last = Promise.resolve([]);
  return (question) => (last = last.then(() => Promise.all(workers.map((worker) => askOne(worker, question)))));
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
if (cluster.isWorker) {
  const { questions } = serve();
  process.on('message', (question) => process.send(questions[question]() ?? null));
} else {
  let ask;
  if (options.workers > 1) {
    ask = await fork();
  } else {
    const { server, questions } = serve();
    await once(server, 'listening');
    ask = async (question) => [questions[question]()];
  }
  await once(startControl(pages, ask).on('error', fail), 'listening');
  console.log(
    `synthetic web: ${options.hosts} hosts × ${options.pages} pages, seed ${options.seed}, first ${pages.graph.origin(0)}/, control http://127.0.0.1:${options.control}/__stats`,
  );
}
