/**
 * PARSE: reads the content of fetched pages: title, text, outlinks, signature.
 *
 * Each partition reads its range of the batch in chunks. Pages that have the parse mark of the batch are skipped, so a
 * later attempt, or a second PARSE, parses only the rest; `force` and the batch `-reparse` parse all again. While one
 * chunk is parsed, the one before it is written and the one after it is read: parsing seldom waits for the database.
 */
import { unlessNegated } from '../../core/conf/negated-flag.js';
import type { BatchCursor } from '../../core/frontier/batch-cursor.js';
import { Injectable } from '@nestjs/common';
import type { CounterGroups, TaskOutcome } from '../../core/job/job-types.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { statusCounts } from '../../webpage/host-counts.store.js';
import { batchSize } from '../batch-chunks.sql.js';
import { resolveBatchOrAll } from '../resolve-batch.js';
import { JobReport } from '../job-report.js';
import type { Run, Step } from '../step.js';
import { PageParser } from './page-parser.js';
import { CurrentPage, longWait, parsePages } from './parse-chunk.js';
import type { ParseArgs } from './parse.args.js';
import { REPARSED, nextUnparsed, writeParsed } from './parse.sql.js';

/** Pages read and written at once. */
const CHUNK = 64;
/** Batches with fewer pages are done by one task. */
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
    return { reason: await parsePartition(run, plan) };
  }
}

/** Parses the pages of this partition, and reports pages that take long. */
async function parsePartition(run: Run<ParseArgs>, plan: Plan): Promise<'done' | 'stopped'> {
  const parser = new PageParser(run.conf, makeUrlRules(run.conf), switchesOf(run));
  const query = { crawl: run.job.crawl, ...plan, part: run.part, limit: CHUNK };
  const current = new CurrentPage();
  const report = new JobReport(run, {
    line: async () => parsedLine(await run.totals()),
    wait: () => longWait(current),
  });
  let notKept = 0;
  try {
    const reason = await parsePages(run, {
      parser,
      read: (cursor) => nextUnparsed(run.pool, query, cursor),
      from: run.progress?.['cursor'] as BatchCursor | undefined,
      write: async (pages) => {
        await run.write(
          (tx, count) => writeParsed(tx, query.crawl, pages, { whole: plan.whole, count, trace: run.trace }),
          // A later attempt continues after them.
          { cursor: pages.at(-1)!.cursor },
        );
        notKept += pages.filter(({ parse }) => parse === null).length;
      },
      current,
    });
    if (notKept > 0) await run.warn(notKeptWarning(notKept));
    return reason;
  } finally {
    await report.end();
  }
}

const notKeptWarning = (pages: number): string =>
  `Pages that were not parsed because their content was not kept (fetcher.store.content): ${pages}. Only FETCH can parse them, with fetcher.parse or its argument parse.`;

const parsedLine = ({ ParserStatus: { success = 0, ...others } = {} }: CounterGroups): string =>
  `${success} parsed, ${Object.values(others).reduce((sum, n) => sum + n, 0)} failed`;

async function makePlan(run: Run<ParseArgs>): Promise<Plan | null> {
  const { args, pool, job } = run;
  const named = args.batch ?? args.segment;
  const whole = named === REPARSE;
  const batch = whole ? REPARSE : await resolveBatchOrAll(pool, job.crawl, named);
  if (!(await run.lock(`PARSE/${batch}`))) return null;
  const selected = whole ? await pagesWithContent(run) : await batchSize(pool, job.crawl, [batch]);
  const parts = whole ? 1 : Math.max(1, Math.min(args.numTasks ?? run.workers, Math.ceil(selected / WORTH_A_TASK)));
  return { parts, batch, selected, again: args.force ?? false, whole };
}

/** Number of pages for `-reparse`, by the counts of their hosts. */
async function pagesWithContent({ pool, job }: Run): Promise<number> {
  const counts = await statusCounts(pool, job.crawl);
  return REPARSED.reduce((n, status) => n + (counts[status] ?? 0), 0);
}

const switchesOf = ({ args, conf }: Run<ParseArgs>): { filter: boolean; normalize: boolean } => ({
  filter: unlessNegated(args.nofilter ?? args.noFilter, conf['parse.filter.urls']),
  normalize: unlessNegated(args.nonormalize ?? args.noNormalize, conf['parse.normalize.urls']),
});
