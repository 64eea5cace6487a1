/**
 * Fetched pages that wait for a slow parser (a PDF, rules, a plugin). The backlog is small: when it is full, further pages are
 * written unparsed and parsed from the table later (parse-while-fetching.ts, parse-rest.ts), so that fetching continues.
 */
import type { TaskWait } from '../../core/job/task-wait.js';
import { parserWait } from '../parse/parse-chunk.js';

/** Maximum of pages: enough that a parser never waits for the next one, few enough to be fetched again after a kill. */
const FULL = 32;
const FULL_BYTES = 8 << 20;
/** A shorter wait is usual and not reported. */
const REPORT_AFTER_MS = 1_000;

interface Entry {
  url: string;
  /** Size of its content. */
  bytes: number;
  /** Whether it can be parsed from the table as well. */
  deferrable: boolean;
}

export class ParserBacklog<T> {
  /** In the order of arrival, in which the parser processes them. */
  private readonly entries = new Map<T, Entry>();
  /** When the parser began the first of them. */
  private since = 0;
  bytes = 0;
  /** Pages that were written unparsed, and are not parsed since. */
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

  /** Removes a page that is parsed or no longer awaited. @returns false if it was removed before */
  delete(page: T): boolean {
    const entry = this.entries.get(page);
    if (entry === undefined) return false;
    if (this.entries.keys().next().value === page) this.since = Date.now();
    this.entries.delete(page);
    this.bytes -= entry.bytes;
    return true;
  }

  /** Removes the pages that can be parsed from the table later, and returns them. */
  takeDeferrable(): T[] {
    const pages = [...this.entries].flatMap(([page, { deferrable }]) => (deferrable ? [page] : []));
    for (const page of pages) this.delete(page);
    this.deferred += pages.length;
    return pages;
  }

  /** The page that the parser works on; null while the parser keeps up. */
  get wait(): TaskWait | null {
    const [first] = this.entries.values();
    if (first === undefined) return null;
    if (this.deferred === 0 && !this.isFull && Date.now() - this.since < REPORT_AFTER_MS) return null;
    return parserWait(first.url, this.since, this.entries.size + this.deferred);
  }
}
