/**
 * Which page a worker process has in hand, told where its death leaves it: in a small file of this machine's temporary folder. A
 * write into it is no more than a copy into the page cache (2 µs), and outlives the process that made it, not the machine. Who
 * frees the tasks of a dead process (`TaskStore.rescue`) reads there which page has ended it (F18).
 */
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDead } from './owner.js';

export interface PageInHand {
  readonly task: string;
  readonly token: number;
  /** Row key. */
  readonly key: string;
}

/** After this nobody will read the note of a dead process any more: it had no task. */
const STALE_MS = 3_600_000;

const user = process.getuid?.();
/** A folder of this user alone. */
const folder = (): string => join(tmpdir(), `orbweaver-pages-${user ?? 'all'}`);
const fileOf = (owner: string): string => join(folder(), encodeURIComponent(owner));

export class PageNote {
  private constructor(
    private readonly path: string,
    private readonly fd: number,
  ) {}

  /** The note of a process. Undefined where none can be made: then nobody knows what ends it. */
  static open(owner: string): PageNote | undefined {
    // Whoever ends takes an empty folder along, also one that was made just now.
    return PageNote.tryOpen(owner) ?? PageNote.tryOpen(owner);
  }

  private static tryOpen(owner: string): PageNote | undefined {
    try {
      mkdirSync(folder(), { recursive: true, mode: 0o700 });
      if (user !== undefined && lstatSync(folder()).uid !== user) return undefined;
      forgetStale();
      const path = fileOf(owner);
      return new PageNote(path, openSync(path, 'w', 0o600));
    } catch {
      return undefined;
    }
  }

  /** Does `work`, up to its first wait where it is a promise, with the page in hand. */
  during<T>(page: PageInHand, work: () => T): T {
    this.write(JSON.stringify(page));
    try {
      return work();
    } finally {
      this.write('');
    }
  }

  /** One line: what a longer one leaves behind it is not read. */
  private write(line: string): void {
    try {
      writeSync(this.fd, `${line}\n`, 0);
    } catch {
      // A full disk is no reason to parse nothing.
    }
  }

  close(): void {
    closeSync(this.fd);
    rmSync(this.path, { force: true });
    try {
      rmdirSync(folder());
    } catch {
      // Others are at work here.
    }
  }
}

/** The page that a dead process of this machine had in hand. */
export function pageInHandOf(owner: string): PageInHand | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(owner), 'utf8').split('\n', 1)[0]!) as PageInHand;
  } catch {
    return undefined;
  }
}

function forgetStale(): void {
  for (const name of readdirSync(folder())) {
    const path = join(folder(), name);
    const written = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - written > STALE_MS && isDead(decodeURIComponent(name))) rmSync(path, { force: true });
  }
}
