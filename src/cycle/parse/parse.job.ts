/**
 * PARSE: reads the content of fetched pages: title, text, outlinks, signature.
 *
 * Each part walks its range of the batch in windows. Pages that carry the parse mark of the batch are skipped, so a
 * later attempt, or a second PARSE, does only what is left; `force` and the batch `-reparse` do all again.
 */
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { faultPoint } from '../../db/fault-point.js';
import type { TaskOutcome } from '../../job/job-row.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { statusCounts } from '../../webpage/host.store.js';
import { forgetRules } from '../../webpage/signature-due.js';
import { type Place, batchSize, resolveBatch } from '../batch.js';
import { type ParsedColumns, holdPages, writeParse } from '../fetch/fetch.sql.js';
import type { Count, Run, Step } from '../step.js';
import { PageParser } from './page-parser.js';
import type { ParseArgs } from './parse.args.js';
import { writePageScores } from './page-scores.sql.js';
import { type Unparsed, nextUnparsed, writeParsedContent } from './parse.sql.js';

const decompress = promisify(zstdDecompress);
const NOTHING = Buffer.alloc(0);
/** Pages read and written at once. */
const WINDOW = 64;
/** Pages below which one task does the whole batch. */
const WORTH_A_TASK = 500;
/** 2.x: every page with content, whatever its marks. */
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
    const parser = new PageParser(run.conf, makeUrlRules(run.conf), switchesOf(run.args));
    let place = run.progress?.['place'] as Place | undefined;
    for (;;) {
      run.aborted.throwIfAborted();
      if (run.stopping.aborted) return { reason: 'stopped' };
      const pages = await nextUnparsed(
        run.pool,
        { crawl: run.job.crawl, ...plan, part: run.part, limit: WINDOW },
        place,
      );
      if (pages.length === 0) {
        if (plan.whole) await run.write((tx) => forgetRules(tx, run.job.crawl));
        return { reason: 'done' };
      }
      place = (await parseWindow(run, parser, pages)) ?? place;
    }
  }
}

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

/** Pages that were fetched some day, by the counts of their hosts. */
async function pagesWithContent({ pool, job }: Run): Promise<number> {
  const counts = await statusCounts(pool, job.crawl);
  return [PAGE_STATUS.fetched, PAGE_STATUS.notModified, PAGE_STATUS.duplicate].reduce(
    (n, status) => n + (counts[status] ?? 0),
    0,
  );
}

const switchesOf = (args: ParseArgs): { filter?: boolean; normalize?: boolean } => ({
  ...((args.nofilter ?? args.noFilter) ? { filter: false } : {}),
  ...((args.nonormalize ?? args.noNormalize) ? { normalize: false } : {}),
});

/** The bytes of a page as they came; null when what is stored is not what was written. */
function contentOf({ content }: Unparsed): Promise<Buffer | null> | Buffer {
  return content === null || content.length === 0 ? NOTHING : decompress(content).catch(() => null);
}

/**
 * Parses pages and writes them, those before a stop: a heavy one may take as long as `parser.timeout`, so a window would
 * hold up who waits. Answers the place behind the last one, undefined for none.
 */
async function parseWindow(run: Run, parser: PageParser, pages: Unparsed[]): Promise<Place | undefined> {
  const noted: Parameters<Count>[] = [];
  const parsed: { host: string; key: string; mark: string | null; parse: ParsedColumns }[] = [];
  for (const page of pages) {
    if (run.stopping.aborted || run.aborted.aborted) break;
    const content = await contentOf(page);
    const known = {
      unreadable: content === null ? 'the stored content is damaged' : undefined,
      url: page.baseUrl ?? unreverseUrl(page.key),
      contentType: page.contentType,
      truncated: page.truncated !== null,
      robotsTag: page.robotsTag,
      contentLanguage: page.contentLanguage,
    };
    const parse = await parser.parse(content ?? NOTHING, known, (...counted) => void noted.push(counted));
    parsed.push({ host: page.host, key: page.key, mark: page.mark, parse });
  }
  const last = pages[parsed.length - 1];
  if (last === undefined) return undefined;
  await faultPoint('parse.read');
  const place: Place = { mark: last.mark ?? '', hash: last.hash, key: last.key };
  await run.write(
    async (tx, count) => {
      const held = new Set((await holdPages(tx, run.job.crawl, parsed)).map(({ key }) => key));
      const still = parsed.filter(({ key }) => held.has(key));
      if (still.length === 0) return;
      await writeParse(tx, run.job.crawl, still);
      await writePageScores(tx, run.job.crawl, still);
      await writeParsedContent(tx, run.job.crawl, still);
      noted.forEach((counted) => count(...counted));
    },
    { place },
  );
  return place;
}
