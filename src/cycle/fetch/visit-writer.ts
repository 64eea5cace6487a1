/**
 * Collects visited pages and has them written in chunks, one after another. When the database is slower than the network, the
 * fetcher sees `isFull` and starts nothing new.
 *
 * A page in a slow parser is written when it is parsed; other pages do not wait for it. When the backlog of the parser is full,
 * pages are written unparsed, to be parsed from the table later (parse-while-fetching.ts, parse-rest.ts), except those whose
 * content is not stored. The statements are in fetch.sql.ts, those for redirects in ../page-content.sql.ts.
 */
import { PROTOCOL_STATUS } from '../../core/page/protocol-status.js';
import type { Signature } from '../../core/page/signature.js';
import { makeSignature } from '../../plugin/chosen-by-class.js';
import { GIVEN_UP } from '../../job/lost-tasks.js';
import type { HostOutcome } from '../../politeness/host-settings.store.js';
import { compress } from '../../webpage/compression.js';
import { type PageParser, unparsed } from '../parse/page-parser.js';
import type { Count, Run } from '../step.js';
import { writeBisecting } from '../write-bisecting.js';
import { FETCH_SIGNATURE, ROBOTS_TAG } from '../passed-metadata.js';
import type { ParsedColumns } from '../parsed-page.sql.js';
import type { VisitOutcome, Visited } from './fetch.sql.js';
import { ParserBacklog } from './parser-backlog.js';
import { unvisited } from './visit.js';

/** Pages in one transaction. With 64, a tenth of PostgreSQL's time goes into reading and planning our statements. */
const PAGES_PER_WRITE = 128;
/** Bytes of content at which fewer pages are written. */
const BYTES_PER_WRITE = 8 << 20;
/** Maximum time that a page waits for further pages of its transaction. */
const MAX_FILL_MS = 1_000;
/** Pages that may wait to be written before the fetcher pauses. */
const MAX_WAITING = 2 * PAGES_PER_WRITE;
const MAX_WAITING_BYTES = 4 * BYTES_PER_WRITE;

/** A visit that is parsed and compressed, and the counts to add when it is written. */
interface Prepared {
  visit: Visited;
  counts: Parameters<Count>[];
}

interface Answered {
  host: string;
  outcome: VisitOutcome;
}

/** What is written in one transaction. */
export interface VisitChunk {
  visits: Visited[];
  /** What the parsers of these pages have counted. */
  counts: Parameters<Count>[];
  /** What visits say about the hosts of these pages. @param now when it is written, ms by the monotonic clock */
  outcomes: (now: number) => HostOutcome[];
}

const contentBytes = ({ content, parse }: Visited): number => (content?.body.length ?? 0) + (parse?.text?.length ?? 0);

export class VisitWriter {
  /** Pages that wait for a slow parser. */
  readonly backlog = new ParserBacklog<Prepared>();
  private waiting: Prepared[] = [];
  /** Outcomes for hosts, in the order of the visits. */
  private outcomes: Answered[] = [];
  private bytes = 0;
  private flushing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failure: unknown;
  private begun = false;
  private change: PromiseWithResolvers<void> | undefined;
  /** Computes signatures if FETCH does not parse (`fetcher.signature`). */
  private readonly sign: Signature | null;
  /** Number of pages written to the table, and of those that were parsed from it since. */
  written = 0;
  /** Batches of pages that were written unparsed: who parses them takes a batch out first. */
  readonly leftUnparsed = new Set<string>();
  /** Called with pages that were written. */
  afterWrite: ((visits: readonly Visited[]) => void) | undefined;

  /**
   * @param parser parses pages before they are written; null if PARSE is a separate job
   * @param write one transaction
   */
  constructor(
    private readonly run: Run,
    private readonly parser: PageParser | null,
    private readonly write: (chunk: VisitChunk) => Promise<void>,
  ) {
    this.sign = run.conf['fetcher.signature'] ? makeSignature(run.conf) : null;
  }

  /** Adds a visit. Throws the error of an earlier chunk. */
  add(visit: Visited): void {
    if (this.failure) throw this.failure;
    const { host, outcome } = visit;
    if (outcome) this.outcomes.push({ host, outcome });
    const page: Prepared = { visit, counts: [] };
    // Here and not with its chunk, so that parsing overlaps with the writing of other pages.
    if (this.prepare(page) === 'ready') this.enqueue(page);
  }

  private enqueue(page: Prepared): void {
    this.waiting.push(page);
    this.bytes += contentBytes(page.visit);
    // The first page is written at once: an attempt that has written anything counts as progress.
    if (!this.begun || this.waiting.length >= PAGES_PER_WRITE || this.bytes >= BYTES_PER_WRITE) this.flushSoon();
    else this.timer ??= setTimeout(() => this.flushSoon(), MAX_FILL_MS);
    this.begun = true;
  }

  get parses(): boolean {
    return this.parser !== null;
  }

  get isFull(): boolean {
    const { size, bytes } = this.backlog;
    return this.waiting.length + size >= MAX_WAITING || this.bytes + bytes >= MAX_WAITING_BYTES;
  }

  /** Resolves when the next chunk is written, or a parser has finished a page. */
  async nextChange(): Promise<void> {
    if (this.failure) throw this.failure;
    this.change ??= Promise.withResolvers<void>();
    await this.change.promise;
    if (this.failure) throw this.failure;
  }

  /** Writes all waiting pages. @param ending when it fires, pages that wait for a parser are written unparsed if they can be */
  async close(ending: AbortSignal): Promise<void> {
    const defer = () => this.deferPages();
    if (ending.aborted) defer();
    ending.addEventListener('abort', defer);
    try {
      while ((this.waiting.length > 0 || this.backlog.size > 0) && !this.failure) {
        if (this.waiting.length === 0) await this.nextChange();
        this.flushSoon();
        await this.flushing;
      }
      await this.flushing;
    } finally {
      ending.removeEventListener('abort', defer);
    }
    if (this.failure) throw this.failure;
  }

  private deferPages(): void {
    for (const { visit } of this.backlog.takeDeferrable()) this.enqueue({ visit, counts: [] });
    this.changed();
  }

  /** Counts pages that were written unparsed, and are parsed now. */
  parsedFromTable(pages: number): void {
    this.written += pages;
    this.backlog.deferred = Math.max(0, this.backlog.deferred - pages);
  }

  /** Lets those who wait in `nextChange` look again. */
  changed(): void {
    this.change?.resolve();
    this.change = undefined;
  }

  /** Ends the FETCH with this error. */
  fail(error: unknown): void {
    this.failure ??= error;
    this.changed();
  }

  private flushSoon(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.flushing ??= this.flush()
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.flushing = undefined;
        this.changed();
        if (!this.failure && this.waiting.length >= PAGES_PER_WRITE) this.flushSoon();
        else if (!this.failure && this.waiting.length > 0)
          this.timer ??= setTimeout(() => this.flushSoon(), MAX_FILL_MS);
      });
  }

  private async flush(): Promise<void> {
    const chunk = this.waiting.splice(0, PAGES_PER_WRITE);
    if (chunk.length === 0) return;
    this.bytes = this.waiting.reduce((sum, { visit }) => sum + contentBytes(visit), 0);
    await writeBisecting(chunk, (pages) => this.writeChunk(pages), {
      refused: notStored,
      keyOf: ({ visit }) => visit.key,
    });
  }

  private async writeChunk(chunk: Prepared[]): Promise<void> {
    const visits = chunk.map(({ visit }) => visit);
    // Includes the outcomes of pages that still wait for a parser: written later, a success would reset newer failures.
    const hosts = new Set(visits.map(({ host }) => host));
    const outcomes = new Set(this.outcomes.filter(({ host }) => hosts.has(host)));
    await this.write({
      visits,
      counts: chunk.flatMap(({ counts }) => counts),
      outcomes: (now) => outcomesOf([...outcomes], now),
    });
    this.outcomes = this.outcomes.filter((answered) => !outcomes.has(answered));
    this.written += chunk.length;
    for (const { mark, content, parse } of visits)
      if (this.parser && content !== null && parse === null) this.leftUnparsed.add(mark);
    this.afterWrite?.(visits);
  }

  /** Parses and compresses outside the transaction. `parsing`: the page is in the backlog until its parser has finished. */
  private prepare(page: Prepared): 'ready' | 'parsing' {
    const { visit } = page;
    const count: Count = (...counted) => void page.counts.push(counted);
    const { content } = visit;
    if (content === null) return 'ready';
    const { body, headers } = content;
    // Parsers use `headers`, even if they are not stored.
    if (!this.run.conf['store.http.headers']) content.headers = {};
    if (this.sign && !this.parser)
      visit.noted[FETCH_SIGNATURE] = this.sign({ content: body, url: visit.url, text: '' });
    content.body = this.run.conf['fetcher.store.content'] ? compress(body) : Buffer.alloc(0);
    if (this.parser === null) return 'ready';
    const contentLanguage = headers['content-language'] ?? null;
    const deferrable =
      this.run.conf['fetcher.store.content'] && (contentLanguage === null || this.run.conf['store.http.headers']);
    if (deferrable && this.backlog.isFull) {
      this.backlog.deferred++;
      return 'ready';
    }
    const input = {
      url: visit.url,
      contentType: visit.contentType,
      truncated: content.truncated !== null,
      robotsTag: visit.noted[ROBOTS_TAG] ?? null,
      contentLanguage,
      representative: visit.reprUrl,
    };
    const { parser } = this;
    const parse = this.run.atRisk(visit.key, () => parser.parse(body, input, count));
    if (parse === undefined) count('ParserStatus', 'given_up');
    if (!(parse instanceof Promise)) {
      visit.parse = parse ?? unparsed(GIVEN_UP);
      return 'ready';
    }
    this.backlog.add(page, { url: visit.url, bytes: body.length, deferrable });
    parse.then(
      (columns) => this.parsed(page, columns),
      (error: unknown) => this.fail(error),
    );
    return 'parsing';
  }

  private parsed(page: Prepared, columns: ParsedColumns): void {
    // It was written unparsed meanwhile.
    if (!this.backlog.delete(page)) return;
    page.visit.parse = columns;
    this.enqueue(page);
    this.changed();
  }
}

/** A visit whose content PostgreSQL rejects: only the fact of the visit is stored. */
function notStored({ visit }: Prepared, why: string): Prepared {
  const { ms, bytes, httpStatus, outcome } = visit;
  const failed = unvisited(visit, visit.url, { code: PROTOCOL_STATUS.FAILED, args: [why], skipped: 'not_stored' });
  return { visit: { ...failed, ms, bytes, httpStatus, outcome }, counts: [] };
}

/** Combines the outcomes of visits by host, in order. A block is stored as the time that remains of it when it is written. */
function outcomesOf(visits: readonly Answered[], now: number): HostOutcome[] {
  const byHost = new Map<string, HostOutcome>();
  for (const { host, outcome } of visits) {
    const { answered = false, failures = 0, blockedMs = null } = byHost.get(host) ?? {};
    const ownBlockMs = outcome.blockedUntil === null ? null : outcome.blockedUntil - now;
    byHost.set(
      host,
      outcome.failed
        ? { host, answered, failures: failures + 1, blockedMs: ownBlockMs ?? blockedMs }
        : { host, answered: true, failures: 0, blockedMs: null },
    );
  }
  return [...byHost.values()];
}
