/**
 * INDEX: makes documents of the pages that UPDATEDB has processed, and sends them to the index writers (Nutch `IndexingJob`).
 *
 * The pages of a batch are found by their update marks, so the cost depends on the batch. Each task indexes a partition of them;
 * there are several if the writer allows it. They are read and sent in chunks of bounded number and size. When every writer
 * has received a chunk, one transaction writes marks, counters, and the cursor from which the next attempt continues. If a task
 * is killed before that, the chunk is sent again, which changes nothing, as a document replaces the one of the same id.
 */
import { Injectable } from '@nestjs/common';
import type { RefusedDocument } from '../../core/indexing/index-writer.js';
import { hostKeyOf, unreverseUrl } from '../../core/url/row-key.js';
import { cursorRows } from '../../db/cursor-rows.js';
import { faultPoint } from '../../db/fault-point.js';
import { namesFolder } from '../args.js';
import { ALL } from '../batch-chunks.sql.js';
import { resolveBatches } from '../resolve-batch.js';
import { isStopping, untilHalted } from '../halt.js';
import { atPage } from '../page-error.js';
import { refuseUnwritten } from '../require-pages.js';
import type { Count, Run, Step, Trace } from '../step.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { boundedChunks, chunksOf } from '../../core/bounded-chunks.js';
import { chosenWriters } from '../../plugin/index-writers.js';
import { readsOutlinks } from '../../plugin/indexing-filters.js';
import { deleteRemoved } from './delete-removed.js';
import type { IndexWriters } from './index-writers.js';
import { DocumentMaker, type MadeDocument } from './document-maker.js';
import type { IndexArgs } from './index.args.js';
import {
  type IndexCandidate,
  type IndexedExtras,
  REINDEX,
  countCandidates,
  countDue,
  countNotUpdated,
  markIndexed,
  nextDue,
  nextIndexCandidates,
  pagesOfBatches,
} from './index.sql.js';
import { NO_WRITER_PROGRESS, type WriterProgress, withWriters, writerProgress } from './open-writers.js';
import { type ReadIndexPage, readIndexPages } from './read-pages.js';
import type { DamagedPage } from '../../webpage/damaged-page.js';
import { type DueDocument, clearDue } from '../../webpage/document-due.store.js';
import { forgetValidators } from '../../webpage/forget-validators.sql.js';
import type { KeyPartition } from '../../webpage/page-key.sql.js';
import type { PageKey } from '../../core/page/page-row.js';

/** Pages that are read at a time, and characters and bytes of them: FETCH and UPDATEDB run beside them in the same process. */
const MAX_PAGES = 500;
const MAX_WEIGHT = 2_097_152;
/** Pages that were sent and not recorded yet, if a writer buffers: after a kill they are sent again. */
const MAX_BUFFERED = 25_000;
/** Keys read at once. */
const READ_AHEAD = 10_000;
/** Maximum number of refused documents and damaged pages named individually in the events of a job. */
const MAX_NAMED = 100;
/** Counter of IndexerStatus: documents that no writer accepted, and deletions that no writer made. */
const WRITER_ERRORS = 'errors (IndexWriter)';
const UNROUTED: Sent = { counter: 'skipped (Exchange)', isDocument: false, isPartial: false, mark: null };
const DAMAGED: Sent = { counter: 'errors (damaged page)', isDocument: false, isPartial: false, mark: null };

/** Pages that are worth a task of their own. */
const WORTH_A_TASK = 5_000;

interface Plan extends Record<string, unknown> {
  /** Partitions, by the hash of the key: documents and deletions of a page are always in the same one. */
  parts: number;
  /** Empty: the recorded pages. */
  batches: string[];
}

interface At extends WriterProgress {
  after: PageKey | null;
  /** Number of refused documents and damaged pages that were named. */
  named: number;
}

const START: At = { after: null, named: 0, ...NO_WRITER_PROGRESS };

@Injectable()
export class IndexJob implements Step<IndexArgs> {
  async run(run: Run<IndexArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    const begun: At = { ...START, ...(run.progress as Partial<At> | null) };
    return untilHalted(run, async (signal) => {
      const ended = await withWriters(run, begun, signal, async (writers, show) => {
        const indexing = new Indexing(run, writers, begun);
        const progress = (): At => ({ ...begun, ...writerProgress(writers) });
        const deletes = { count: countRemoved, progress, partition: partitionOf(run, plan) };
        if (deletesGone(run) && !(await deleteRemoved(run, writers, deletes))) return false;
        show(() => lineOf(indexing, run, plan));
        return this.walk(run, indexing, candidates(run, plan, { after: begun.after, signal }));
      });
      return { reason: ended ? 'done' : 'stopped' };
    });
  }

  /** @returns whether it finished: the job was not stopped */
  private async walk(
    run: Run<IndexArgs>,
    indexing: Indexing,
    pages: AsyncIterable<IndexCandidate[]>,
  ): Promise<boolean> {
    for await (const pagesRead of pages) {
      for (const chunk of boundedChunks(pagesRead, (page) => weightOf(page, indexing), limits)) {
        if (isStopping(run)) {
          await indexing.recordSent();
          return false;
        }
        await indexing.sendChunk(chunk);
        if (!indexing.isFruitless) continue;
        await indexing.recordSent();
        return true;
      }
    }
    await indexing.recordSent();
    return true;
  }
}

async function makePlan(run: Run<IndexArgs>): Promise<Plan | null> {
  const { args, pool, job } = run;
  if (args.ofCrawl) return (await run.lock('INDEX')) ? { parts: await tasksFor(run, []), batches: [] } : null;
  const named = args.batch === undefined ? args.segment : [args.batch];
  const whole = named?.find((name) => name === ALL || name === REINDEX);
  const isFolder = named === undefined && namesFolder(args);
  const batches = whole ? [whole] : isFolder ? [ALL] : await resolveBatches(pool, job.crawl, named);
  await refuseUnwritten(run);
  if (!(await run.lock('INDEX'))) return null;
  const waiting = batches.includes(REINDEX) ? 0 : await countNotUpdated(pool, job.crawl, batches);
  if (waiting > 0)
    await run.warn(`Parsed pages that wait for UPDATEDB are not indexed: ${waiting}. Run UPDATEDB, then INDEX again.`);
  return { parts: await tasksFor(run, batches), batches };
}

/**
 * The number of tasks. A task that fails ends the whole job, so with several writers there is only one task: the others
 * get all documents when one is given up. With `normalize` two pages may have one document, and the last one counts.
 */
async function tasksFor(
  { pool, job, conf, args, workers }: Run<IndexArgs>,
  batches: readonly string[],
): Promise<number> {
  const writers = chosenWriters(conf);
  if (workers === 1 || args.normalize === true) return 1;
  if (writers.length !== 1 || !writers[0]!.writesConcurrently) return 1;
  const max = workers * WORTH_A_TASK;
  const pages = await (args.ofCrawl
    ? countDue(pool, job.crawl, max)
    : countCandidates(pool, job.crawl, { batches, max }));
  return Math.max(1, Math.min(workers, Math.ceil(pages / WORTH_A_TASK)));
}

const partitionOf = ({ part }: Run<IndexArgs>, { parts }: Plan): KeyPartition => ({ part, parts });

/** What one of several tasks has sent; they overwrite each other's lines. */
function lineOf({ line }: Indexing, { part }: Run<IndexArgs>, { parts }: Plan): string | null {
  return line === null || parts === 1 ? line : `partition ${part + 1} of ${parts}: ${line}`;
}

/** The pages of a task after a page, in chunks. */
async function* candidates(
  run: Run<IndexArgs>,
  plan: Plan,
  { after, signal }: { after: PageKey | null; signal: AbortSignal },
): AsyncGenerator<IndexCandidate[]> {
  const { crawl } = run.job;
  const { batches } = plan;
  const partition = partitionOf(run, plan);
  const [which] = batches;
  const toDelete = deletesGone(run);
  if (which !== undefined && which !== ALL && which !== REINDEX) {
    yield* cursorRows<IndexCandidate>(
      run.pool,
      pagesOfBatches(crawl, batches, { after, toDelete, partition }),
      READ_AHEAD,
      signal,
    );
    return;
  }
  for (let last = after; ;) {
    const next = { limit: READ_AHEAD, after: last, partition };
    const pages = await (which === undefined
      ? nextDue(run.pool, crawl, next)
      : nextIndexCandidates(run.pool, crawl, { which, toDelete, ...next }));
    if (pages.length === 0) return;
    yield pages;
    last = pages.at(-1)!;
  }
}

const countRemoved = (count: Count, n: number): void => count('IndexerStatus', 'deleted (removed)', n);

const limits = { maxCount: MAX_PAGES, maxSize: MAX_WEIGHT };

/** The characters and bytes of a page that are read. */
const weightOf = ({ textLength, contentLength }: IndexCandidate, { extras }: Indexing): number =>
  textLength + (extras.content ? contentLength : 0);

const deletesGone = ({ args, conf }: Run<IndexArgs>): boolean => args.deleteGone ?? conf['indexer.delete'];

/** The indexing of one task. */
class Indexing {
  /** What it reads of pages. */
  readonly extras: IndexedExtras;
  private readonly maker: DocumentMaker;
  private named: number;
  private sent: Sent[] = [];
  /** Damaged pages among them. */
  private damaged: PageKey[] = [];
  /** Those that UPDATEDB had recorded for INDEX. */
  private due: DueDocument[] = [];
  private last: PageKey | undefined;
  /** Pages that this attempt has sent, recorded or not, and the key of the last one. */
  private passed = 0;
  private reached: string | undefined;

  constructor(
    private readonly run: Run<IndexArgs>,
    private readonly writers: IndexWriters,
    begun: At,
  ) {
    this.extras = { content: run.args.addBinaryContent === true, outlinks: readsOutlinks(run.conf) };
    this.maker = new DocumentMaker(run.conf, run.args);
    this.named = begun.named;
  }

  /** All writers are given up: nobody would take what follows. */
  get isFruitless(): boolean {
    return this.writers.open === 0;
  }

  /** For `msg`, as counters move only when the writers have stored what they buffer; null: nothing was sent yet. */
  get line(): string | null {
    return this.reached === undefined ? null : `${this.passed} sent, up to ${unreverseUrl(this.reached)}`;
  }

  /** Sends some pages, then marks them. Pages that no writer has taken are counted as errors. */
  async sendChunk(keys: readonly IndexCandidate[]): Promise<void> {
    const { pool, job } = this.run;
    const { whole, damaged } = await readIndexPages(pool, job.crawl, keys, this.extras);
    const madeDocuments = await this.makeDocuments(whole);
    const documents = madeDocuments.flatMap(({ document }) => document ?? []);
    const deleted = madeDocuments.flatMap(({ deletes, id }) => (deletes ? [id] : []));
    const before = this.writers.givenUp.size;
    const { refused, ...routed } = await this.writers.send({ documents, deleted });
    this.reached = keys.at(-1)!.key;
    this.passed += keys.length;
    await faultPoint('index.sent');
    await this.nameDamaged(damaged);
    await this.nameRefused(refused);
    await this.nameGivenUp(before);
    const ids = { ...idsOf(refused), ...routed };
    const sent = madeDocuments.map((madeDocument) => sentOf(madeDocument, ids));
    if (this.run.trace) traceSent(madeDocuments, sent, this.run.trace);
    this.sent.push(...sent, ...damaged.map(() => DAMAGED));
    this.damaged.push(...damaged.map(({ key }) => ({ host: hostKeyOf(key), key })));
    this.due.push(...keys.flatMap(({ host, key, notedAt }) => (notedAt ? { host, key, notedAt } : [])));
    this.last = keys.at(-1)!;
    if (!this.writers.buffers || this.sent.length >= MAX_BUFFERED) await this.recordSent();
  }

  /** Documents of pages. Other tasks of the process run in between. */
  private async makeDocuments(pages: readonly ReadIndexPage[]): Promise<MadeDocument[]> {
    const madeDocuments: MadeDocument[] = [];
    for (const page of pages) {
      await this.run.pause();
      madeDocuments.push(atPage(page.row.key, () => this.maker.make(page)));
    }
    return madeDocuments;
  }

  /** Records the pages that were sent, once every writer has them. */
  async recordSent(): Promise<void> {
    const { sent, due, last } = this;
    if (last === undefined || (sent.length === 0 && due.length === 0)) return;
    const before = this.writers.givenUp.size;
    await this.writers.flush();
    await this.nameGivenUp(before);
    const at: At = { after: { host: last.host, key: last.key }, named: this.named, ...writerProgress(this.writers) };
    await this.run.write(async (tx, count) => {
      // A page that one of the writers lacks is not in the index yet.
      const marks = this.writers.givenUp.size === 0 ? sent.flatMap(({ mark }) => mark ?? []) : [];
      for (const chunk of chunksOf(marks, MAX_PAGES)) await markIndexed(tx, this.run.job.crawl, chunk);
      if (this.writers.givenUp.size === 0) await clearDue(tx, this.run.job.crawl, due);
      await forgetValidators(tx, this.run.job.crawl, this.damaged);
      const isLost = this.isFruitless;
      for (const { counter, isDocument, isPartial, mark } of sent) {
        count('IndexerStatus', isLost && mark !== null ? WRITER_ERRORS : counter);
        if (isLost) continue;
        count('IndexerJob', 'DocumentCount', isDocument ? 1 : 0);
        if (isPartial) count('IndexerJob', 'DocumentsInPart');
      }
    }, at);
    this.sent = [];
    this.damaged = [];
    this.due = [];
  }

  private async nameDamaged(damaged: readonly DamagedPage[]): Promise<void> {
    for (const { url, column } of damaged) {
      if (this.named++ >= MAX_NAMED) return;
      await this.run.warn(`not indexed, as its stored ${column} is damaged:`, { url });
    }
  }

  private async nameRefused(refused: ReadonlyMap<string, readonly RefusedDocument[]>): Promise<void> {
    for (const [writer, documents] of refused)
      for (const { id, reason, isPartial = false } of documents) {
        if (this.named++ >= MAX_NAMED) return;
        const url = unreverseUrl(id);
        const said = isPartial ? `took ${url} in part` : `refused ${url}`;
        await this.run.warn(`index writer ${writer} ${said}: ${reason}`, { writer, id });
      }
  }

  private async nameGivenUp(before: number): Promise<void> {
    for (const [writer, reason] of [...this.writers.givenUp].slice(before))
      await this.run.warn(`index writer ${writer} is given up for this job: ${reason}`, { writer });
  }
}

/** The record of a page that was sent. */
interface Sent {
  readonly counter: string;
  /** It is in the index as a document. */
  readonly isDocument: boolean;
  /** A writer accepted it without some of its fields. */
  readonly isPartial: boolean;
  /** The mark of a page that was written, or deleted; null: it keeps its own. */
  readonly mark: (PageKey & { mark: string | null }) | null;
}

/** Documents that no writer gets, that a writer refused, that all writers refused that got them, and that one accepted without some fields. */
interface SentIds {
  readonly unrouted: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
  readonly refusedByAll: ReadonlySet<string>;
  readonly partial: ReadonlySet<string>;
}

function idsOf(refusedByWriter: ReadonlyMap<string, readonly RefusedDocument[]>): Pick<SentIds, 'refused' | 'partial'> {
  const idsWhere = (partial: boolean): Set<string> =>
    new Set(
      [...refusedByWriter.values()].flatMap((documents) =>
        documents.flatMap(({ id, isPartial = false }) => (isPartial === partial ? id : [])),
      ),
    );
  return { refused: idsWhere(false), partial: idsWhere(true) };
}

/** Traces what became of pages, and the fields of their documents. */
function traceSent(madeDocuments: readonly MadeDocument[], sent: readonly Sent[], trace: Trace): void {
  for (const [i, { key, document }] of madeDocuments.entries())
    trace(key, { result: sent[i]!.counter, ...(document && { fields: [...document.fields.keys()] }) });
}

function sentOf(
  { host, key, document, deletes, mark, counter }: MadeDocument,
  { unrouted, refused, refusedByAll, partial }: SentIds,
): Sent {
  if (document !== null && unrouted.has(document.id)) return UNROUTED;
  const isRefused = document !== null && refused.has(document.id);
  const isDocument = document !== null && !isRefused;
  // A document that one writer has must be deleted by CLEAN one day, even if others refused it.
  const isMarked = deletes || (document !== null && !refusedByAll.has(document.id));
  return {
    counter: isRefused ? WRITER_ERRORS : counter,
    isDocument,
    isPartial: isDocument && partial.has(document.id),
    mark: isMarked ? { host, key, mark: deletes ? null : mark } : null,
  };
}
