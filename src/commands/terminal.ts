import type { Writable } from 'node:stream';
import { jsonEscape } from '../core/json-text.js';

/** The output of a command: data go to `stdout`, messages for people to `stderr`. */
export interface Terminal {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly variables: Readonly<NodeJS.ProcessEnv>;
}

const UNSAFE = /[^\P{Cc}\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text that is safe on a terminal. Titles, URLs and error texts are untrusted: control characters (C0, C1) would move
 * the cursor or worse, and direction marks would reverse words. Line feeds stay.
 */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, '\ufffd');
}

/** A value as indented JSON that is safe on a terminal: the same characters are escaped, so the value stays as it is. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(UNSAFE, jsonEscape);
}

export function log({ stderr }: Terminal, line: string): void {
  stderr.write(`${printable(line)}\n`);
}

/** A command for people: its words in, its exit code out. */
export type Command = (words: readonly string[], terminal: Terminal) => Promise<number>;

const CLEAR_LINE = '\r\x1b[2K';

/** One line that is redrawn repeatedly; without a terminal, a new line every few seconds; with Infinity none. */
export class StatusLine {
  private drawn = false;
  private lastMs: number;

  constructor(
    private readonly terminal: Terminal,
    private readonly everyMs = 5_000,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.lastMs = now();
  }

  get live(): boolean {
    return (this.terminal.stderr.isTTY ?? false) && this.everyMs !== Infinity;
  }

  /** Shows the progress; the text gets the available width. */
  show(text: (width: number) => string): void {
    if (this.live) {
      this.terminal.stderr.write(CLEAR_LINE + printable(text((this.terminal.stderr.columns ?? 80) - 1)));
      this.drawn = true;
    } else if (this.now() - this.lastMs >= this.everyMs) {
      this.lastMs = this.now();
      log(this.terminal, text(200));
    }
  }

  /** Prints a line that stays, above the redrawn one. */
  log(line: string): void {
    this.clear();
    log(this.terminal, line);
  }

  clear(): void {
    if (this.drawn) this.terminal.stderr.write(CLEAR_LINE);
    this.drawn = false;
  }
}
