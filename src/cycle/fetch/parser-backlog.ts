/**
 * Pages that were fetched and that a parser has which takes its time (a PDF, rules, a plugin). They are few: when it is full,
 * what else is fetched is written as it came and parsed from the table later (parse-rest.ts), so that requests go on.
 */
import { parserWait } from '../parse/parse-chunk.js';
import type { Wait } from '../step.js';

/** Pages in hand at most: enough that a parser never waits for the next one, few enough to be fetched again after a kill. */
const FULL = 32;
const FULL_BYTES = 8 << 20;
/** What takes less is everyday. */
const REPORT_AFTER_MS = 1_000;

interface Entry {
  url: string;
  /** Of its content. */
  bytes: number;
  /** Whether it can be parsed from the table as well. */
  deferrable: boolean;
}

export class ParserBacklog<T> {
  /** In the order in which they were handed over, which is that of the parser. */
  private readonly entries = new Map<T, Entry>();
  /** Since when the parser has the first of them. */
  private since = 0;
  bytes = 0;
  /** Pages that were written without having been parsed. */
  deferred = 0;

  get size(): number {
    return this.entries.size;
  }

  get isFull(): boolean {
    return this.entries.size >= FULL || this.bytes >= FULL_BYTES;
  }

  add(page: T, entry: Entry): void {
    if (this.entries.size === 0) this.since = Date.now();
    this.entries.set(page, entry);
    this.bytes += entry.bytes;
  }

  /** A page is parsed, or no code awaits it any more. False: so it was before. */
  delete(page: T): boolean {
    const entry = this.entries.get(page);
    if (entry === undefined) return false;
    if (this.entries.keys().next().value === page) this.since = Date.now();
    this.entries.delete(page);
    this.bytes -= entry.bytes;
    return true;
  }

  /** The pages that need not be waited for: they are parsed from the table. */
  takeDeferrable(): T[] {
    const pages = [...this.entries].flatMap(([page, { deferrable }]) => (deferrable ? [page] : []));
    for (const page of pages) this.delete(page);
    this.deferred += pages.length;
    return pages;
  }

  /** What is waited for; null while the parser keeps up. */
  get wait(): Wait | null {
    const [first] = this.entries.values();
    if (first === undefined) return null;
    if (this.deferred === 0 && !this.isFull && Date.now() - this.since < REPORT_AFTER_MS) return null;
    return parserWait(first.url, this.since, this.entries.size + this.deferred);
  }
}
