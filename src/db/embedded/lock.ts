import { createHash } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './start-error.js';

/**
 * One server per data directory. The lock is a file that names its holder by pid, start time of that process and boot of
 * the machine: after a kill -9 the pid may be somebody else's, the triple is not. Files appear by `link`, which fails when
 * the name exists, so two starts at once cannot both hold it; a stale lock is taken over through a name made from its
 * content, so that only one of several successors gets it.
 */

/** A held lock. `release` is synchronous so that an exit handler may call it; it is safe to call twice. */
export interface DataDirLock {
  release(): void;
}

const TRIES = 200;
/** Tries (20 ms each) before a living holder is believed: one that was just killed needs a moment to go. */
const PATIENCE = 75;

/** Takes the lock of `dataDir`. @throws StartError `dataDirInUse` when a live process holds it. */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const lock = join(dataDir, 'server.lock');
  const draft = `${lock}.${process.pid}`;
  const mine = holderLine(process.pid);
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (await appear(draft, lock)) return { release: () => releaseIfMine(lock, mine) };
      if (await takeOver(lock, draft, dataDir, tries < PATIENCE)) return { release: () => releaseIfMine(lock, mine) };
      await sleep(20);
    }
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  throw new StartError('dataDirInUse', `cannot lock ${dataDir}: other servers start there at the same time`);
}

/** True when the stale lock is ours now; false when another try is needed. */
async function takeOver(lock: string, draft: string, dataDir: string, patient: boolean): Promise<boolean> {
  const old = await readFile(lock, 'utf8').catch(() => undefined);
  if (old === undefined) return false;
  if (isAlive(old)) {
    if (patient) return false;
    const pid = old.split(' ')[0];
    throw new StartError('dataDirInUse', `another server (pid ${pid}) uses the data directory ${dataDir}`);
  }
  const succession = `${lock}.${createHash('sha256').update(old).digest('hex').slice(0, 12)}`;
  if (!(await appear(draft, succession))) {
    const rival = await readFile(succession, 'utf8').catch(() => undefined);
    if (rival !== undefined && !isAlive(rival)) await unlink(succession).catch(() => undefined);
    return false;
  }
  // The lock may have changed hands between the read and the link: then it is not stale any more.
  if ((await readFile(lock, 'utf8').catch(() => undefined)) !== old) {
    await unlink(succession).catch(() => undefined);
    return false;
  }
  await rename(succession, lock);
  return true;
}

async function appear(draft: string, name: string): Promise<boolean> {
  try {
    await link(draft, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** `pid start boot`; start and boot are "-" where there is no /proc. */
export function holderLine(pid: number): string {
  return `${pid} ${processStart(pid) ?? '-'} ${bootId()}\n`;
}

/** Does the process that wrote this line still run? */
export function isAlive(line: string): boolean {
  const pid = Number(line.split(' ')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return holderLine(pid) === line;
}

/** Start time of a process in clock ticks since boot: field 22 of /proc/pid/stat (proc(5)); undefined without /proc. */
function processStart(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in field 2 may hold blanks and brackets: count from the last bracket.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    // A zombie is dead: it only waits for its parent to look.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '-';
  }
}

function releaseIfMine(lock: string, mine: string): void {
  try {
    if (readFileSync(lock, 'utf8') === mine) unlinkSync(lock);
  } catch {
    // Gone already: nothing to release.
  }
}
