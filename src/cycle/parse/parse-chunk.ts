/**
 * Parses pages whose content is in the table, chunk by chunk: for PARSE, and for pages that FETCH did not parse at once. The
 * caller decides where pages come from and how they are written.
 */
import type { TaskWait } from '../../core/job/task-wait.js';
import type { BatchCursor } from '../../core/frontier/batch-cursor.js';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { unreverseUrl } from '../../core/url/row-key.js';
import { faultPoint } from '../../db/fault-point.js';
import { GIVEN_UP } from '../../job/lost-tasks.js';
import { isStopping } from '../halt.js';
import type { Count, Run } from '../step.js';
import { writeBisecting } from '../write-bisecting.js';
import { type PageParser, type PageToParse, unparsed } from './page-parser.js';
import type { Looked, Parsed, Unparsed } from './parse.sql.js';
import { counted } from '../../core/counted.js';

const NOTHING = Buffer.alloc(0);
/** Milliseconds for which pages are parsed before the event loop continues. */
const MAX_SLICE_MS = 20;
/** Heavy pages that are being parsed at once: enough to keep some processes busy, within some memory. */
const MAX_BEGUN = 8;
const MAX_BEGUN_BYTES = 8 << 20;
/** Maximum number of bytes that a page is decompressed into at once: larger ones take several chunks. */
const DECOMPRESSED_CHUNK = { min: 64, max: 1 << 20 };

/** Where the pages come from, and where their results go. */
export interface ParseSource {
  parser: PageParser;
  /** The pages after a cursor. */
  read: (cursor: BatchCursor | undefined) => Promise<Unparsed[]>;
  /** Where an earlier attempt has stopped. */
  from: BatchCursor | undefined;
  /** Writes the results for pages, in the order in which they were read: one transaction. */
  write: (pages: Looked[]) => Promise<void>;
  /** Receives the page that a parser has been parsing for long, null when it is done, and each page that is done. */
  current: CurrentPage;
  /** When it fires, pages that are being parsed are left to a later attempt; default: a stop waits for one page. */
  ending?: AbortSignal;
}

/** The page being parsed. */
export class CurrentPage {
  url: string | null = null;
  /** ms since the epoch. */
  since = 0;
  done = 0;

  begin(url: string): void {
    this.url = url;
    this.since = Date.now();
  }

  end(): void {
    this.url = null;
    this.done++;
  }
}

/** Shorter times are normal. */
const REPORT_AFTER_MS = 1_000;

/** The wait for a page that has been parsed for long. @param left pages that wait with it and after it, if that is known */
export function longWait({ url, since }: CurrentPage, left: number | null = null): TaskWait | null {
  if (url === null || Date.now() - since < REPORT_AFTER_MS) return null;
  return parserWait(url, since, left);
}

/** @param since ms since the epoch */
export function parserWait(url: string, since: number, pages: number | null): TaskWait {
  const count = pages === null ? '' : `: ${counted(pages, 'page')}`;
  return { for: 'parser', what: `the parser${count}`, url, pages, since: new Date(since).toISOString() };
}

/** Parses all pages that `read` returns. When it returns or throws, no write is running any more. */
export async function parsePages(run: Run, source: ParseSource): Promise<'done' | 'stopped'> {
  const read = (cursor: BatchCursor | undefined) => promised(source.read(cursor));
  let ahead = read(source.from);
  let writing = Promise.resolve();
  try {
    for (;;) {
      if (isStopping(run)) return 'stopped';
      const pages = await ahead;
      const last = pages.at(-1);
      if (last === undefined) return 'done';
      ahead = read(cursorOf(last));
      const chunk = await parseChunk(run, source, pages);
      await writing;
      if (chunk.length > 0)
        writing = promised(writeBisecting(chunk, source.write, { refused: notStored, keyOf: ({ key }) => key }));
    }
  } finally {
    await writing;
  }
}

/** A promise that is awaited later: until then its rejection counts as handled. */
function promised<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

const cursorOf = ({ mark, hash, key }: Unparsed): BatchCursor => ({ mark: mark ?? '', hash, key });

/**
 * The original bytes of a page; null if the stored bytes are damaged. In this thread: handing a page to
 * another one costs more than decompressing it.
 */
function originalBytes(stored: Buffer, contentLength: number | null): Buffer | null {
  const chunkSize = Math.min(Math.max(contentLength ?? 0, DECOMPRESSED_CHUNK.min), DECOMPRESSED_CHUNK.max);
  try {
    return zstdDecompressSync(stored, { chunkSize });
  } catch {
    return null;
  }
}

/** A page whose parsing has begun. */
interface Begun {
  readonly url: string;
  /** Of its content. */
  readonly bytes: number;
  /** Null until it is parsed. */
  looked: Looked | null;
  readonly done: Promise<void> | null;
}

/**
 * Parses pages, in their order, those before a stop: a heavy one may take as long as `parser.timeout`, so a whole chunk would
 * delay the stop. Some heavy pages are begun before the first is finished, so that no parser is idle. A stop waits for one of
 * them at most, if no other is finished: so a job that is stopped again and again still makes progress.
 */
async function parseChunk(run: Run, { parser, current, ending }: ParseSource, pages: Unparsed[]): Promise<Looked[]> {
  const chunk: Looked[] = [];
  const begun: Begun[] = [];
  const isStopped = () => run.stopping.aborted || run.aborted.aborted;
  const isFull = () => begun.length >= MAX_BEGUN || begun.reduce((sum, { bytes }) => sum + bytes, 0) >= MAX_BEGUN_BYTES;
  /** Takes finished pages from the front, and waits for the first as long as `mustWait` returns true. */
  const takeFinished = async (mustWait: () => boolean): Promise<void> => {
    for (let first = begun[0]; first !== undefined; first = begun[0]) {
      if (first.looked === null && !mustWait()) return;
      if (first.looked === null) {
        current.begin(first.url);
        await (ending ? untilAborted(first.done, ending) : first.done);
      }
      if (first.looked === null) return;
      current.end();
      chunk.push(first.looked);
      begun.shift();
    }
  };
  let since = performance.now();
  for (const page of pages) {
    if (isStopped()) break;
    begun.push(begin(run, parser, page));
    await takeFinished(() => isFull() && !isStopped());
    if (performance.now() - since < MAX_SLICE_MS) continue;
    await nextIteration();
    since = performance.now();
  }
  await takeFinished(() => !isStopped() || chunk.length === 0);
  if (chunk.length > 0) await faultPoint('parse.read');
  return chunk;
}

/** Waits for work until a signal fires. The signal lives long: it keeps no listener. */
async function untilAborted(work: Promise<void> | null, signal: AbortSignal): Promise<void> {
  const fired = Promise.withResolvers<void>();
  const fire = () => fired.resolve();
  if (signal.aborted) fire();
  signal.addEventListener('abort', fire);
  await Promise.race([work, fired.promise]).finally(() => signal.removeEventListener('abort', fire));
}

function begin(run: Run, parser: PageParser, page: Unparsed): Begun {
  const { host, key, mark, prevFetchTime, content: stored } = page;
  const known = { host, key, mark, prevFetchTime, damaged: false, cursor: cursorOf(page) };
  const finished = (looked: Looked): Begun => ({ url: unreverseUrl(key), bytes: 0, looked, done: null });
  if (stored === null) return finished({ ...known, parse: null, counts: [['Parser', 'content_not_kept']] });
  const counts: Parameters<Count>[] = [];
  const [content, toParse] = asParsed(page, stored);
  known.damaged = toParse.unreadable !== undefined;
  const parsing = run.atRisk(key, () => parser.parse(content, toParse, (...counted) => void counts.push(counted)));
  if (parsing === undefined) return finished({ ...known, ...givenUp });
  if (!(parsing instanceof Promise)) return finished({ ...known, parse: parsing, counts });
  const done = promised(parsing.then((parse) => void (begun.looked = { ...known, parse, counts })));
  const begun: Begun = { url: unreverseUrl(key), bytes: content.length, looked: null, done };
  return begun;
}

function asParsed(page: Unparsed, stored: Buffer): [Buffer, PageToParse] {
  const content = originalBytes(stored, page.contentLength);
  const known = {
    unreadable: content === null ? 'the stored content is damaged' : undefined,
    url: page.baseUrl ?? unreverseUrl(page.key),
    contentType: page.contentType,
    truncated: page.truncated !== null,
    robotsTag: page.robotsTag,
    contentLanguage: page.contentLanguage,
    representative: page.representative,
  };
  return [content ?? NOTHING, known];
}

/** A page that has crashed too many workers. */
const givenUp = { parse: unparsed(GIVEN_UP), counts: [['ParserStatus', 'given_up']] } satisfies Partial<Parsed>;

/** A page whose results PostgreSQL refuses. */
const notStored = (page: Looked, why: string): Parsed => ({
  ...page,
  parse: unparsed(why),
  counts: [['ParserStatus', 'not_stored']],
});
