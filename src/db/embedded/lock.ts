/**
 * One server per data directory. The lock is a file that names its holder (holder.ts). Files are created by `link`, which fails
 * if the name exists, so two starts at once cannot both have it; a stale lock is taken over through a name made from its
 * content, so that only one of several successors gets it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holderLine, type HolderState, holderState, makeHolderFifo, removeFifoOf, type HolderFifo } from './holder.js';
import { StartError } from '../../core/start-error.js';

/** An owned lock. `release` is synchronous so that an exit handler may call it; it is safe to call twice. */
export interface DataDirLock {
  /** The FIFO that PostgreSQL inherits from the holder. */
  readonly fifoFd: number | undefined;
  release(): void;
}

const TRIES = 200;
/** Attempts (20 ms each) before a live holder is accepted as alive: one that was just killed needs a moment to end. */
const PATIENT_TRIES = 75;

/** Takes the lock of `dataDir`. @throws StartError `dataDirInUse` if a live process has it, or may have it. */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const lock = join(dataDir, 'server.lock');
  // Not our pid: another container may have the same.
  const token = randomBytes(6).toString('hex');
  const draft = `${lock}.${token}`;
  const fifo = await makeHolderFifo(dataDir, token);
  const mine = holderLine(process.pid, fifo.name);
  let isOwned = false;
  try {
    await writeFile(draft, mine, { mode: 0o600 });
    for (let tries = 0; tries < TRIES && !isOwned; tries += 1) {
      isOwned = (await appear(draft, lock)) || (await takeOver(lock, draft, dataDir, tries < PATIENT_TRIES));
      if (!isOwned) await sleep(20);
    }
  } finally {
    await unlink(draft).catch(() => undefined);
    if (!isOwned) fifo.end();
  }
  if (!isOwned)
    throw new StartError('dataDirInUse', `cannot lock ${dataDir}: other servers start there at the same time`);
  return ownLock(lock, mine, fifo);
}

function ownLock(lock: string, mine: string, fifo: HolderFifo): DataDirLock {
  let isOwned = true;
  const release = (): void => {
    if (!isOwned) return;
    isOwned = false;
    releaseIfMine(lock, mine);
    fifo.end();
  };
  return { fifoFd: fifo.fd, release };
}

/** True when the stale lock is ours now; false when another attempt is needed. */
async function takeOver(lock: string, draft: string, dataDir: string, waits: boolean): Promise<boolean> {
  const old = await readFile(lock, 'utf8').catch(() => undefined);
  if (old === undefined) return false;
  const state = holderState(old, dataDir);
  if (state !== 'dead') {
    if (waits) return false;
    throw inUse(old, state, dataDir);
  }
  const succession = `${lock}.${createHash('sha256').update(old).digest('hex').slice(0, 12)}`;
  if (!(await appear(draft, succession))) {
    const rival = await readFile(succession, 'utf8').catch(() => undefined);
    if (rival !== undefined && holderState(rival, dataDir) === 'dead') await unlink(succession).catch(() => undefined);
    return false;
  }
  // Another process may have taken the lock between the read and the link: then it is not stale any more.
  if ((await readFile(lock, 'utf8').catch(() => undefined)) !== old) {
    await unlink(succession).catch(() => undefined);
    return false;
  }
  await rename(succession, lock);
  removeFifoOf(old, dataDir);
  return true;
}

function inUse(holder: string, state: HolderState, dataDir: string): StartError {
  const [pid, , , namespace] = holder.trim().split(' ');
  const here = holderLine(process.pid).split(' ')[3];
  const elsewhere = namespace === undefined || namespace === here ? '' : ' of another container';
  const hint = state === 'unknown' ? `; if it is gone, remove ${join(dataDir, 'server.lock')}` : '';
  return new StartError(
    'dataDirInUse',
    `another server (pid ${pid}${elsewhere}) uses the data directory ${dataDir}${hint}`,
  );
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

function releaseIfMine(lock: string, mine: string): void {
  try {
    if (readFileSync(lock, 'utf8') === mine) unlinkSync(lock);
  } catch {
    // Gone already: nothing to release.
  }
}
