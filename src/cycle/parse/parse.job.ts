/**
 * PARSE: reads the content of fetched pages: title, text, outlinks, signature.
 *
 * Each part walks its range of the batch in windows. Pages that carry the parse mark of the batch are skipped, so a
 * later attempt, or a second PARSE, does only what is left; `force` and the batch `-reparse` do all again. While one
 * window is parsed, the one before it is written and the one behind it is read: parsing seldom waits for the database.
 */
import { setImmediate as otherWork } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { faultPoint } from '../../db/fault-point.js';
import type { TaskOutcome } from '../../job/job-row.js';
import { GIVEN_UP } from '../../job/lost-tasks.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { statusCounts } from '../../webpage/host.store.js';
import { forgetRules } from '../../webpage/signature-due.js';
import { type Place, batchSize, resolveBatch } from '../batch.js';
import { type ParsedColumns, holdPages, parsedText, writeParse } from '../fetch/fetch.sql.js';
import { writeParsedContent } from '../page-content.sql.js';
import type { Count, Run, Step } from '../step.js';
import { writeApart } from '../write-apart.js';
import { PageParser, type PageToParse, unparsed } from './page-parser.js';
import type { ParseArgs } from './parse.args.js';
import { writePageScores } from './page-scores.sql.js';
import { REPARSED, type Unparsed, nextUnparsed, takeBack } from './parse.sql.js';

const NOTHING = Buffer.alloc(0);
/** Pages read and written at once. */
const WINDOW = 64;
/** Milliseconds for which pages are parsed without a look at anything else. */
const AT_A_STRETCH_MS = 20;
/** Bytes that a page is decompressed into at once, at most: larger ones take several pieces. */
const PIECE = { least: 64, most: 1 << 20 };
/** Pages below which one task does the whole batch. */
const WORTH_A_TASK = 500;
/** 2.x: every page with content (`REPARSED`), whatever its marks. */
const REPARSE = '-reparse';

interface Plan extends Record<string, unknown> {
  parts: number;
  batch: string;
  selected: number;
  again: boolean;
  whole: boolean;
}

@Injectable()
export class ParseJob implements Step<ParseArgs> {
  async run(run: Run<ParseArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    if (plan.selected === 0) return { reason: 'no-urls' };
    return { reason: await parseShare(run, plan) };
  }
}

/** Parses the pages of this part, window by window. When it returns or throws, nothing is being written any more. */
async function parseShare(run: Run<ParseArgs>, plan: Plan): Promise<'done' | 'stopped'> {
  const parser = new PageParser(run.conf, makeUrlRules(run.conf), switchesOf(run.args));
  const query = { crawl: run.job.crawl, ...plan, part: run.part, limit: WINDOW };
  const read = (place: Place | undefined) => promised(nextUnparsed(run.pool, query, place));
  let ahead = read(run.progress?.['place'] as Place | undefined);
  let writing = Promise.resolve();
  try {
    for (;;) {
      run.aborted.throwIfAborted();
      if (run.stopping.aborted) return 'stopped';
      const pages = await ahead;
      const last = pages.at(-1);
      if (last === undefined) return 'done';
      ahead = read(placeOf(last));
      const window = await parseWindow(run, parser, pages);
      await writing;
      if (window.length > 0) writing = promised(writeApart(window, (part) => writeWindow(run, plan, part), notStored));
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

const placeOf = ({ mark, hash, key }: Unparsed): Place => ({ mark: mark ?? '', hash, key });

async function makePlan(run: Run<ParseArgs>): Promise<Plan | null> {
  const { args, pool, job } = run;
  const named = args.batch ?? args.segment;
  const whole = named === REPARSE;
  const batch = whole ? REPARSE : await resolveBatch(pool, job.crawl, named);
  if (!(await run.lock(`PARSE/${batch}`))) return null;
  const selected = whole ? await pagesWithContent(run) : await batchSize(pool, job.crawl, batch);
  const parts = whole ? 1 : Math.max(1, Math.min(args.numTasks ?? run.workers, Math.ceil(selected / WORTH_A_TASK)));
  return { parts, batch, selected, again: args.force ?? false, whole };
}

/** Pages that `-reparse` looks at, by the counts of their hosts. */
async function pagesWithContent({ pool, job }: Run): Promise<number> {
  const counts = await statusCounts(pool, job.crawl);
  return REPARSED.reduce((n, status) => n + (counts[status] ?? 0), 0);
}

const switchesOf = (args: ParseArgs): { filter?: boolean; normalize?: boolean } => ({
  ...((args.nofilter ?? args.noFilter) ? { filter: false } : {}),
  ...((args.nonormalize ?? args.noNormalize) ? { normalize: false } : {}),
});

/**
 * The bytes of a page as they came; null when what is stored is not what was written. In this thread: to hand a page to
 * another one costs more than to decompress it.
 */
function contentOf(stored: Buffer, contentLength: number | null): Buffer | null {
  const chunkSize = Math.min(Math.max(contentLength ?? 0, PIECE.least), PIECE.most);
  try {
    return zstdDecompressSync(stored, { chunkSize });
  } catch {
    return null;
  }
}

/** A page that was parsed, what is to be counted when it is written, and the place behind it. */
interface Parsed extends Pick<Unparsed, 'host' | 'key' | 'mark' | 'prevFetchTime'> {
  parse: ParsedColumns;
  noted: Parameters<Count>[];
  place: Place;
}

/** One that stays as it is, as its content was not kept. */
type PassedOver = Omit<Parsed, 'parse'> & { parse: null };
type Looked = Parsed | PassedOver;

const isParsed = (page: Looked): page is Parsed => page.parse !== null;

/** Parses pages, those before a stop: a heavy one may take as long as `parser.timeout`, so a window would hold up who waits. */
async function parseWindow(run: Run, parser: PageParser, pages: Unparsed[]): Promise<Looked[]> {
  const window: Looked[] = [];
  let since = performance.now();
  for (const page of pages) {
    if (run.stopping.aborted || run.aborted.aborted) break;
    const { host, key, mark, prevFetchTime } = page;
    const looked = { host, key, mark, prevFetchTime, place: placeOf(page) };
    if (page.content === null) {
      window.push({ ...looked, parse: null, noted: [['Parser', 'content_not_kept']] });
      continue;
    }
    const noted: Parameters<Count>[] = [];
    const { content } = page;
    const parsing = run.atRisk(key, () =>
      parser.parse(...asParsed(page, content), (...counted) => void noted.push(counted)),
    );
    window.push(parsing ? { ...looked, parse: await parsing, noted } : { ...looked, ...givenUp });
    if (performance.now() - since < AT_A_STRETCH_MS) continue;
    await otherWork();
    since = performance.now();
  }
  if (window.length > 0) await faultPoint('parse.read');
  return window;
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

function writeWindow(run: Run, { whole }: Plan, looked: Looked[]): Promise<void> {
  return run.write(
    async (tx, count) => {
      const pages = looked.filter(isParsed);
      for (const { noted, parse } of looked) if (parse === null) noted.forEach((counted) => count(...counted));
      if (pages.length === 0) return;
      const held = await holdPages(tx, run.job.crawl, pages);
      const visits = new Map(held.map((page) => [page.key, page]));
      // FETCH may have written another content meanwhile, and parsed it.
      const still = pages.filter(({ key, prevFetchTime }) => {
        const visit = visits.get(key);
        return visit !== undefined && visit.prevFetchTime?.getTime() === prevFetchTime?.getTime();
      });
      if (still.length === 0) return;
      await writeParse(tx, run.job.crawl, still);
      await writePageScores(tx, run.job.crawl, still);
      // A parse that fails says nothing against what an earlier one has read of the same content.
      const read = still.filter(({ key, parse }) => parse.parsed || visits.get(key)!.unparsed);
      if (read.length > 0) await writeParsedContent(tx, run.job.crawl, read);
      const wasFailed = ({ key }: Parsed) => visits.get(key)!.status === PAGE_STATUS.parseFailed;
      await takeBack(
        tx,
        run.job.crawl,
        still.filter((page) => page.parse.parsed && wasFailed(page)),
      );
      // No UPDATEDB notes these contents for DEDUP; with each window, for the next one may never be written.
      if (whole) await forgetRules(tx, run.job.crawl);
      for (const { key, parse } of still)
        run.trace?.(key, { status: parsedText(parse), links: parse.outlinkKeys.length });
      for (const { noted } of pages) noted.forEach((counted) => count(...counted));
    },
    { place: looked.at(-1)!.place },
  );
}
