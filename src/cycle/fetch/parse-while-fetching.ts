/**
 * Parses the pages that a continuous FETCH has written unparsed because its parser was busy, while it fetches: it may run for
 * weeks, and UPDATEDB leaves unparsed pages in their batches. It reads a chunk whenever the backlog of the parser is not full.
 */
import type { BatchCursor } from '../../core/frontier/batch-cursor.js';
import type { PageParser } from '../parse/page-parser.js';
import { CurrentPage, parsePages } from '../parse/parse-chunk.js';
import { type Looked, type Unparsed, writeParsed } from '../parse/parse.sql.js';
import { batchesWithPages } from '../batch-chunks.sql.js';
import type { CrawlBatches, Run } from '../step.js';
import { type ChunkQuery, nextLeftUnparsed } from './fetch.sql.js';
import type { VisitWriter } from './visit-writer.js';

/** Pages read and written at once: as many as parsers are given at once. */
const CHUNK = 8;

export class ParseWhileFetching {
  private readonly running: Promise<void>;
  private readonly ending: AbortSignal;
  private ended = false;

  constructor(
    private readonly run: Run,
    private readonly batches: CrawlBatches,
    private readonly options: { query: ChunkQuery; parser: PageParser; writer: VisitWriter },
  ) {
    this.ending = AbortSignal.any([run.stopping, run.aborted]);
    this.running = this.parseAll();
    // After an abort, fetched pages are still written.
    this.running.catch((error: unknown) => void (run.aborted.aborted || options.writer.fail(error)));
  }

  /** Begins no further page, and waits for those in the parser, unless the job is asked to stop. */
  async end(): Promise<void> {
    this.ended = true;
    this.options.writer.changed();
    await this.running;
  }

  private async parseAll(): Promise<void> {
    const { leftUnparsed } = this.options.writer;
    for (const batch of await this.ofOthers()) leftUnparsed.add(batch);
    while (await this.until(() => leftUnparsed.size > 0)) {
      const [batch] = leftUnparsed;
      // Before it is read: pages that are written to it meanwhile add it again.
      leftUnparsed.delete(batch!);
      if ((await this.parse(batch!)) === 'stopped') return;
    }
  }

  /** Batches in which an earlier attempt, or another task with these hosts, may have left pages unparsed. */
  private async ofOthers(): Promise<ReadonlySet<string>> {
    const { retrying, job } = this.run;
    return this.batches.among(await batchesWithPages(retrying, job.crawl, { visited: true }));
  }

  private parse(batch: string): Promise<'done' | 'stopped'> {
    const { run, ending } = this;
    const { query, parser, writer } = this.options;
    const read = async (cursor: BatchCursor | undefined): Promise<Unparsed[]> =>
      (await this.until(() => !writer.backlog.isFull))
        ? nextLeftUnparsed(run.retrying, { ...query, batch, limit: CHUNK }, cursor)
        : [];
    const write = async (pages: Looked[]): Promise<void> => {
      await run.write((tx, count) => writeParsed(tx, query.crawl, pages, { whole: false, count, trace: run.trace }));
      writer.parsedFromTable(pages.length);
    };
    return parsePages(run, { parser, read, from: undefined, write, current: new CurrentPage(), ending });
  }

  /** Waits for a state of the writer; false: fetching has ended. */
  private async until(isReady: () => boolean): Promise<boolean> {
    while (!this.ended && !isReady()) await this.options.writer.nextChange();
    return !this.ended;
  }
}
