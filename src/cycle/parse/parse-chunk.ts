/**
 * Parses pages whose content stands in the table, chunk by chunk: for PARSE, and for what FETCH did not parse at once. Where pages
 * come from and how they are written is the caller's.
 */
import { setImmediate as otherWork } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { unreverseUrl } from '../../core/url/row-key.js';
import { faultPoint } from '../../db/fault-point.js';
import { GIVEN_UP } from '../../job/lost-tasks.js';
import type { Cursor } from '../batch.js';
import type { Count, Run, Wait } from '../step.js';
import { writeApart } from '../write-bisecting.js';
import { type PageParser, type PageToParse, unparsed } from './page-parser.js';
import type { Looked, Parsed, Unparsed } from './parse.sql.js';

const NOTHING = Buffer.alloc(0);
/** Milliseconds for which pages are parsed without a look at anything else. */
const AT_A_STRETCH_MS = 20;
/** Heavy pages of a walk that are begun and not through: as many as keep some processes busy, within some memory. */
const BEGUN_AT_ONCE = 8;
const BEGUN_BYTES = 8 << 20;
/** Bytes that a page is decompressed into at once, at most: larger ones take several pieces. */
const PIECE = { min: 64, max: 1 << 20 };

export interface Walk {
  parser: PageParser;
  /** The pages behind a cursor. */
  read: (cursor: Cursor | undefined) => Promise<Unparsed[]>;
  /** Where an earlier attempt came to. */
  from: Cursor | undefined;
  /** Writes what became of pages, in the order in which they were read: one transaction. */
  write: (pages: Looked[]) => Promise<void>;
  /** Receives the page that a parser is working on for long, null when it is done, and each page that is done. */
  inHand: InHand;
}

/** The page that a parser has. */
export class InHand {
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

/** What takes less is everyday. */
const REPORT_AFTER_MS = 1_000;

/** What a walk waits for: a page that a parser has had for long. @param left pages that wait behind it and with it, where that is known */
export function longWait({ url, since }: InHand, left: number | null = null): Wait | null {
  if (url === null || Date.now() - since < REPORT_AFTER_MS) return null;
  return parserWait(url, since, left);
}

/** @param since ms since the epoch */
export function parserWait(url: string, since: number, pages: number | null): Wait {
  const count = pages === null ? '' : `: ${pages} ${pages === 1 ? 'page' : 'pages'}`;
  return { for: 'parser', what: `the parser${count}`, url, pages, since: new Date(since).toISOString() };
}

/** Parses all pages that `read` gives. When it returns or throws, nothing is being written any more. */
export async function parsePages(run: Run, walk: Walk): Promise<'done' | 'stopped'> {
  const read = (cursor: Cursor | undefined) => promised(walk.read(cursor));
  let ahead = read(walk.from);
  let writing = Promise.resolve();
  try {
    for (;;) {
      run.aborted.throwIfAborted();
      if (run.stopping.aborted) return 'stopped';
      const pages = await ahead;
      const last = pages.at(-1);
      if (last === undefined) return 'done';
      ahead = read(cursorOf(last));
      const chunk = await parseChunk(run, walk, pages);
      await writing;
      if (chunk.length > 0) writing = promised(writeApart(chunk, walk.write, notStored));
    }
  } finally {
    await writing;
  }
}

/** A promise that is waited for later: until then its failure is nobody's. */
function promised<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

const cursorOf = ({ mark, hash, key }: Unparsed): Cursor => ({ mark: mark ?? '', hash, key });

/**
 * The bytes of a page as they came; null when what is stored is not what was written. In this thread: to hand a page to
 * another one costs more than to decompress it.
 */
function contentOf(stored: Buffer, contentLength: number | null): Buffer | null {
  const chunkSize = Math.min(Math.max(contentLength ?? 0, PIECE.min), PIECE.max);
  try {
    return zstdDecompressSync(stored, { chunkSize });
  } catch {
    return null;
  }
}

/** A page that was begun. */
interface Begun {
  readonly url: string;
  /** Of its content. */
  readonly bytes: number;
  /** Null until it is through. */
  looked: Looked | null;
  readonly done: Promise<void> | null;
}

/**
 * Parses pages, in their order, those before a stop: a heavy one may take as long as `parser.timeout`, so a chunk would hold up
 * who waits. Of heavy ones a few are begun before the first is through, so that no parser waits for us. A stop waits for one of
 * them at most, where nothing else is through: who is stopped again and again comes on nevertheless.
 */
async function parseChunk(run: Run, { parser, inHand }: Walk, pages: Unparsed[]): Promise<Looked[]> {
  const chunk: Looked[] = [];
  const begun: Begun[] = [];
  const isStopped = () => run.stopping.aborted || run.aborted.aborted;
  const isFull = () => begun.length >= BEGUN_AT_ONCE || begun.reduce((sum, { bytes }) => sum + bytes, 0) >= BEGUN_BYTES;
  /** Takes those that are through from the front, and waits for the first as long as `mustWait`. */
  const takeThrough = async (mustWait: () => boolean): Promise<void> => {
    for (let first = begun[0]; first !== undefined; first = begun[0]) {
      if (first.looked === null && !mustWait()) return;
      if (first.looked === null) {
        inHand.begin(first.url);
        await first.done;
      }
      inHand.end();
      chunk.push(first.looked!);
      begun.shift();
    }
  };
  let since = performance.now();
  for (const page of pages) {
    if (isStopped()) break;
    begun.push(begin(run, parser, page));
    await takeThrough(() => isFull() && !isStopped());
    if (performance.now() - since < AT_A_STRETCH_MS) continue;
    await otherWork();
    since = performance.now();
  }
  await takeThrough(() => !isStopped() || chunk.length === 0);
  if (chunk.length > 0) await faultPoint('parse.read');
  return chunk;
}

function begin(run: Run, parser: PageParser, page: Unparsed): Begun {
  const { host, key, mark, prevFetchTime, content: stored } = page;
  const known = { host, key, mark, prevFetchTime, cursor: cursorOf(page) };
  const through = (looked: Looked): Begun => ({ url: unreverseUrl(key), bytes: 0, looked, done: null });
  if (stored === null) return through({ ...known, parse: null, noted: [['Parser', 'content_not_kept']] });
  const noted: Parameters<Count>[] = [];
  const [content, asked] = asParsed(page, stored);
  const parsing = run.atRisk(key, () => parser.parse(content, asked, (...counted) => void noted.push(counted)));
  if (parsing === undefined) return through({ ...known, ...givenUp });
  if (!(parsing instanceof Promise)) return through({ ...known, parse: parsing, noted });
  const done = promised(parsing.then((parse) => void (begun.looked = { ...known, parse, noted })));
  const begun: Begun = { url: unreverseUrl(key), bytes: content.length, looked: null, done };
  return begun;
}

function asParsed(page: Unparsed, stored: Buffer): [Buffer, PageToParse] {
  const content = contentOf(stored, page.contentLength);
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

/** A page that has ended too many workers. */
const givenUp = { parse: unparsed(GIVEN_UP), noted: [['ParserStatus', 'given_up']] } satisfies Partial<Parsed>;

/** A page of which PostgreSQL does not take what was read. */
const notStored = (page: Looked, why: string): Parsed => ({
  ...page,
  parse: unparsed(why),
  noted: [['ParserStatus', 'not_stored']],
});
