/**
 * `orbweaver demo`: a small web on loopback, a crawl of it, and its results. For people who try the program for the
 * first time.
 */
import type { CrawlProgress, PageDto } from '../../../clients/typescript/src/generated/schemas.js';
import type { Orbweaver } from '../../../clients/typescript/src/orbweaver.js';
import { followCrawl } from '../crawl/follow-crawl.js';
import { whyNot } from '../demo-web/pages.js';
import { type DemoWeb, startDemoWeb } from '../demo-web/web.js';
import { COMMAND_EXIT, usageError } from '../exit-codes.js';
import { Interrupts } from '../interrupts.js';
import { verdictLines } from '../inspect/verdict.js';
import { type ConnectedServer, startOwn } from '../connect-server.js';
import { printable, StatusLine, type Terminal } from '../terminal.js';
import { readWords, wholeNumber } from '../parse-args.js';
import { answerLines } from '../search/answer-lines.js';
import { pageTable } from './page-table.js';
import { MAX_PORT } from '../../core/address/port-range.js';

const CRAWL = 'demo';
/** Loopback is opened for this crawl, and the small sites need no long pauses. */
const CONF = {
  'http.agent.name': 'orbweaver-demo',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0.1',
};

interface Stage {
  readonly terminal: Terminal;
  readonly status: StatusLine;
  readonly interrupts: Interrupts;
}

/** `orbweaver demo`: prints what it does, does it, and cleans up. */
export async function demoCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readWords('demo', words, { once: { type: 'boolean' }, port: { type: 'string' } });
  if (positionals.length > 0) throw usageError('demo', `"${positionals[0]}" is no option`);
  const port = wholeNumber('demo', 'port', values.port, MAX_PORT);
  const stage = { terminal, status: new StatusLine(terminal), interrupts: new Interrupts() };
  const web = await startDemoWeb();
  let server: ConnectedServer | undefined;
  try {
    stage.status.show(() => 'starting PostgreSQL, API and workers');
    server = await stage.interrupts.unless(startOwn({ port, workers: 2 }, terminal));
    if (!server || stage.interrupts.count > 0) return COMMAND_EXIT.interrupted;
    const { state } = await show(server, web, stage);
    if (stage.interrupts.count > 0) return COMMAND_EXIT.interrupted;
    if (!values.once) await untilInterrupted(server, stage);
    return state === 'FINISHED' ? COMMAND_EXIT.done : COMMAND_EXIT.failed;
  } finally {
    stage.status.clear();
    await server?.release();
    await web.close();
    stage.interrupts.end();
  }
}

async function show({ client }: ConnectedServer, web: DemoWeb, stage: Stage): Promise<CrawlProgress> {
  const { terminal, status } = stage;
  const print = (text: string): void => void terminal.stdout.write(`${printable(text)}\n`);
  status.clear();
  print(
    `A small web is on loopback: ${Object.entries(web.urls)
      .map(([site, url]) => `${site} ${url}/`)
      .join(', ')}`,
  );
  await client.config.create({ configId: CRAWL, force: true, params: CONF });
  const request = {
    crawlId: CRAWL,
    confId: CRAWL,
    seeds: [`${web.urls.observatory}/`],
    scope: 'any' as const,
    dedup: true,
    index: true,
  };
  print(`\nPOST /v1/crawls ${JSON.stringify(request)}\n`);
  const { id } = await client.crawl.create(request);
  const crawl = await followCrawl(client, id, stage);
  status.clear();
  print(`${crawl.msg}. ${crawl.result?.rounds ?? 0} rounds:`);
  await printPages(client, print);
  await printReasons(client, web, print);
  await printHits(client, print);
  return crawl;
}

async function printPages(client: Orbweaver, print: (text: string) => void): Promise<void> {
  const pages: PageDto[] = [];
  for await (const page of client.pages({ crawlId: CRAWL })) pages.push(page);
  print(`\n${pageTable(pages)}\n\n${pages.length} pages, from GET /v1/pages?crawlId=${CRAWL}`);
}

async function printReasons(client: Orbweaver, { urls }: DemoWeb, print: (text: string) => void): Promise<void> {
  print('\nWhy not? POST /v1/inspect/url, about one that robots.txt forbids and one that a URL filter drops:');
  for (const { site, path } of whyNot) {
    const url = urls[site] + path;
    const inspected = await client.inspect.url({ url, crawlId: CRAWL, confId: CRAWL, robots: true });
    print(`\n${verdictLines(inspected).join('\n')}`);
  }
}

async function printHits(client: Orbweaver, print: (text: string) => void): Promise<void> {
  const q = 'rings of a planet';
  print(`\nFound: GET /v1/search?${new URLSearchParams({ q, crawlId: CRAWL }).toString()}\n`);
  print(answerLines(await client.search.search({ q, crawlId: CRAWL, limit: 3 })).join('\n'));
}

/** The server keeps running for users who want to look around. */
async function untilInterrupted({ url }: ConnectedServer, { terminal, interrupts }: Stage): Promise<void> {
  terminal.stdout.write(`\nLook around: ${url}/ and ${url}/docs (Ctrl-C ends the demo)\n`);
  await new Promise<void>((resolve) => interrupts.listen(() => resolve()));
  terminal.stdout.write('\nending\n');
}
