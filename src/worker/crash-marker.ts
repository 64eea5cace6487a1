/**
 * Names the page that a worker process is parsing, in a small file in this machine's temporary folder that outlives the
 * process. A write is a copy into the page cache (2 µs); it survives the process, not the machine. From it `TaskStore.rescue`
 * learns which page has crashed a dead process (fault F18).
 */
import { DAY_MS } from '../core/day.js';
import {
  closeSync,
  constants,
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
import { storable } from '../db/sql.js';
import { isDead } from './owner.js';
import { MAX_INT32 } from '../core/int32.js';

export interface CrashMarkerPage {
  readonly task: string;
  readonly token: number;
  readonly key: string;
}

/** After this no rescuer will read the marker of a dead process any more: it had no task. */
const STALE_MS = 3_600_000;
/**
 * Whether processes of other boots, or of other containers with this folder, are alive is unknown: but none was silent for a
 * week.
 */
const STRANGE_MS = 7 * DAY_MS;
const MAX_BYTES = 65_536;
/** Never follows a link that somebody has put there. */
const WRITE_ANEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

const user = process.getuid?.();
/** A folder that only this user can read. */
const folder = (): string => join(tmpdir(), `orbweaver-pages-${user ?? 'all'}`);
const markerPath = (owner: string): string => join(folder(), encodeURIComponent(owner));

export class CrashMarker {
  private isWritten = false;

  private constructor(
    private readonly path: string,
    private readonly fd: number,
  ) {}

  /** The marker of a process. Undefined if no file can be made: then a page that crashes it stays unknown. */
  static open(owner: string): CrashMarker | undefined {
    // A process that ends removes an empty folder, possibly one that was made just now: so try twice.
    return CrashMarker.tryOpen(owner) ?? CrashMarker.tryOpen(owner);
  }

  private static tryOpen(owner: string): CrashMarker | undefined {
    try {
      mkdirSync(folder(), { recursive: true, mode: 0o700 });
      if (!isOurs(folder(), 'folder')) return undefined;
      forgetStale();
      const path = markerPath(owner);
      return new CrashMarker(path, openSync(path, WRITE_ANEW, 0o600));
    } catch {
      return undefined;
    }
  }

  /** Runs `work`, up to its first wait where it is a promise, with the page in the crash marker. */
  during<T>(page: CrashMarkerPage, work: () => T): T {
    this.write(JSON.stringify(page));
    this.isWritten = true;
    try {
      return work();
    } finally {
      this.write('');
      this.isWritten = false;
    }
  }

  /** Writes one line: the rest of a longer line before it is not read. */
  private write(line: string): void {
    try {
      writeSync(this.fd, `${line}\n`, 0);
    } catch {
      // A full disk must not stop the parsing.
    }
  }

  /** At the end of a process: removes the marker, unless a page is crashing the process. */
  leave(): void {
    if (!this.isWritten) this.close();
  }

  close(): void {
    closeSync(this.fd);
    rmSync(this.path, { force: true });
    try {
      rmdirSync(folder());
    } catch {
      // Other processes have files here.
    }
  }
}

/** The page that a dead process of this machine was parsing. */
export function crashMarkerOf(owner: string): CrashMarkerPage | undefined {
  try {
    if (!isOurs(folder(), 'folder') || !isOurs(markerPath(owner), 'file')) return undefined;
    const page = JSON.parse(readFileSync(markerPath(owner), 'utf8').split('\n', 1)[0]!) as unknown;
    return isPage(page) ? page : undefined;
  } catch {
    return undefined;
  }
}

/** The temporary folder is writable by all users: an entry may have been made by others, to mislead or to block us. */
function isOurs(path: string, kind: 'folder' | 'file'): boolean {
  const stats = lstatSync(path);
  const isSo = kind === 'folder' ? stats.isDirectory() : stats.isFile() && stats.size <= MAX_BYTES;
  return isSo && (user === undefined || stats.uid === user);
}

function isPage(read: unknown): read is CrashMarkerPage {
  const { task, token, key } = Object(read) as Partial<Record<keyof CrashMarkerPage, unknown>>;
  if (typeof task !== 'string' || typeof token !== 'number' || typeof key !== 'string') return false;
  return /^\d{1,18}$/.test(task) && Number.isInteger(token) && Math.abs(token) <= MAX_INT32 && storable(key) === key;
}

function forgetStale(): void {
  for (const name of readdirSync(folder())) {
    const path = join(folder(), name);
    const age = Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (age > STRANGE_MS || (age > STALE_MS && isDead(ownerOf(name)))) rmSync(path, { force: true, recursive: true });
  }
}

function ownerOf(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
