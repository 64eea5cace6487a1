import type { CrawlProgress } from '../../../clients/typescript/src/generated/schemas.js';
import { type Orbweaver, OrbweaverProblem } from '../../../clients/typescript/src/orbweaver.js';
import { COMMAND_EXIT, CommandError } from '../exit-codes.js';
import { Interrupts } from '../interrupts.js';
import { applyConf } from '../apply-conf.js';
import { type LineOutput, openOutput } from '../page-output.js';
import { withTexts } from '../page-texts.js';
import { namedServer, reach, type ConnectedServer, startOwn } from '../connect-server.js';
import { StatusLine, type Terminal } from '../terminal.js';
import { type CrawlOptions, readCrawlOptions } from './crawl-options.js';
import { countPages, followCrawl } from './follow-crawl.js';
import { followOpenCrawls } from './open-crawl.js';
import { durationText } from './progress.js';
import { OPEN_INNER, whyNothing } from './why-nothing.js';
import { counted } from '../../core/counted.js';

/** `orbweaver crawl`: a crawl from the URLs of the command line to a file of pages, with or without a server. */
export async function crawlCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const options = readCrawlOptions(words);
  const url = namedServer('crawl', options, terminal);
  const output = options.out === undefined ? undefined : await openOutput('crawl', options.out, terminal);
  const interrupts = new Interrupts();
  const status = new StatusLine(terminal, options.quiet ? Infinity : undefined);
  let server: ConnectedServer | undefined;
  try {
    if (!url && !options.quiet) status.show(() => 'starting PostgreSQL, API and workers');
    const local = { dataDir: options.data, workers: options.workers };
    server = await interrupts.unless(url ? reach(url, terminal) : startOwn(local, terminal));
    if (!server || interrupts.count > 0) return COMMAND_EXIT.interrupted;
    return await run(server, options, { status, interrupts, output });
  } finally {
    status.clear();
    await server?.release();
    interrupts.end();
    await output?.close();
  }
}

interface CrawlConsole {
  readonly status: StatusLine;
  readonly interrupts: Interrupts;
  readonly output: LineOutput | undefined;
}

async function run({ client, isOwn }: ConnectedServer, options: CrawlOptions, running: CrawlConsole): Promise<number> {
  const begin = performance.now();
  const { status, interrupts, output } = running;
  const crawlId = options.crawlId ?? (isOwn ? 'crawl' : `crawl-${Date.now().toString(36)}`);
  const confId = options.confId ?? (await applyConf(client, `cli-${crawlId}`, options.conf));
  // On a server that is shared, an open crawl belongs to somebody else.
  const left = isOwn ? await followOpenCrawls(client, crawlId, { status, interrupts }) : [];
  const crawl =
    interrupts.count > 0 && left.length > 0
      ? left.at(-1)!
      : await followCrawl(client, await create(client, { ...options.request, crawlId, confId }), {
          status,
          interrupts,
        });
  const counts = await countPages(client, crawlId);
  status.log(`${crawlId}: ${crawl.msg} (${roundsOf(crawl)}, ${durationText(performance.now() - begin)})`);
  // If a crawl ended normally, the reasons for its seeds are printed below.
  if (crawl.state !== 'FINISHED' && crawl.cure) status.log(crawl.cure.message);
  for (const warning of crawl.result?.warnings ?? []) status.log(`warning: ${warning}`);
  status.log(summary(counts));
  if (output) await writePages(client, crawlId, { options, running: { status, interrupts, output } });
  if (interrupts.count > 0) return COMMAND_EXIT.interrupted;
  if (crawl.state !== 'FINISHED') return COMMAND_EXIT.failed;
  if ([...left, crawl].some((progress) => visited(progress) > 0)) return COMMAND_EXIT.done;
  for (const line of await whyNothing(client, { seeds: options.request.seeds, crawlId, confId })) status.log(line);
  return COMMAND_EXIT.nothing;
}

/** Ctrl-C ends the writing, too. */
async function writePages(
  client: Orbweaver,
  crawlId: string,
  { options, running }: { options: CrawlOptions; running: CrawlConsole & { readonly output: LineOutput } },
): Promise<void> {
  const abort = new AbortController();
  running.interrupts.onInterrupt(() =>
    abort.abort(new CommandError(COMMAND_EXIT.interrupted, 'stopped while writing')),
  );
  const query = { crawlId, ...(options.status && { status: options.status }) };
  const pages = client.pages(query, { signal: abort.signal });
  const written = await running.output.write(options.text ? withTexts(client, crawlId, pages) : pages);
  running.status.log(`${written} pages written${options.out === '-' ? '' : ` to ${options.out}`}`);
}

async function create(client: Orbweaver, request: CrawlOptions['request']): Promise<string> {
  try {
    return (await client.crawl.create(request)).id;
  } catch (error) {
    if (!(error instanceof OrbweaverProblem) || error.code !== 'SEEDS_REFUSED') throw error;
    const tip = error.detail.includes('ipaddress.exclude') ? `\n${OPEN_INNER}` : '';
    throw new CommandError(COMMAND_EXIT.nothing, error.detail + tip);
  }
}

function visited({ counters }: CrawlProgress): number {
  const { SUCCESS = 0, NOTMODIFIED = 0 } = counters['FetcherStatus'] ?? {};
  return SUCCESS + NOTMODIFIED;
}

function roundsOf({ result }: CrawlProgress): string {
  return counted(result?.rounds ?? 0, 'round');
}

/** `31 fetched, 2 gone, 1 redir_perm; 3 with cut content` */
export function summary({ cut = 0, ...counts }: Readonly<Record<string, number>>): string {
  const counted = Object.entries(counts).filter(([, count]) => count > 0);
  return counted.length === 0
    ? 'no pages'
    : counted.map(([name, count]) => `${count} ${name.replace(/^db_/, '')}`).join(', ') +
        (cut > 0 ? `; ${cut} with cut content` : '');
}
