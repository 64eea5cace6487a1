/** Files that commands write: a file keeps its content until the new one is complete. */
import { randomBytes } from 'node:crypto';
import type { Stats, WriteStream } from 'node:fs';
import { type FileHandle, copyFile, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { OrbweaverUnreachable } from '../../clients/typescript/src/orbweaver.js';
import { COMMAND_EXIT, CommandError, usageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Values as JSON lines, to a file or to stdout. A reader that goes away (`| head`) ends the writing, not the command. */
export interface LineOutput {
  /** Writes all values, and moves a file to its path when all bytes are written; returns how many values. */
  write(values: AsyncIterable<unknown>): Promise<number>;
  /** Removes what is not whole. @throws the error of the file */
  close(): Promise<void>;
}

/**
 * Opens `-` (stdout), a device or a pipe, or a file: a file keeps its content until all is written, to a draft beside it.
 * @throws StartError `environment` if it cannot be written
 */
export async function openOutput(command: string, path: string, { stdout }: Terminal): Promise<LineOutput> {
  if (path === '-') return { write: (values) => writeLines(stdout, 'stdout', values), close: async () => undefined };
  const target = await realpath(path).catch(() => path);
  const { draft, file } = await openDraft(target).catch((error: Error) => {
    throw usageError(command, `cannot write --out ${path}: ${error.message}`);
  });
  let failure: Error | undefined;
  let isMoved = false;
  const fail = (error: Error): void => void (failure ??= error);
  file.on('error', fail);
  /** A full disk may refuse the last bytes when the file is ended: only after that it is known to be whole. */
  const end = (): Promise<void> => finished(file.end()).catch(fail);
  return {
    write: async (values) => {
      const count = await writeLines(file, path, values);
      await end();
      if (failure === undefined) await moveToTarget(draft, target).catch(fail);
      if (failure) throw notWritten(path, failure);
      isMoved = true;
      return count;
    },
    close: async () => {
      if (isMoved) return;
      await end();
      if (draft !== target) await rm(draft, { force: true });
      if (failure) throw notWritten(path, failure);
    },
  };
}

/**
 * Writes bytes of the server to a file, which keeps its content until all are written.
 * @throws CommandError `failed`, OrbweaverUnreachable, StartError `environment`
 */
export async function writeFileWhole(command: string, path: string, bytes: Readable): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const { draft, file } = await openDraft(target).catch((error: Error) => {
    throw usageError(command, `cannot write ${path}: ${error.message}`);
  });
  try {
    await pipeline(bytes, file);
    await moveToTarget(draft, target);
  } catch (error) {
    if (draft !== target) await rm(draft, { force: true });
    throw causeOf(error as NodeJS.ErrnoException, path);
  }
}

/**
 * Writes bytes of the server to stdout. A reader that goes away ends the writing.
 * @throws CommandError `failed`, OrbweaverUnreachable
 */
export async function writeBytes(bytes: Readable, { stdout }: Terminal): Promise<void> {
  await pipeline(bytes, stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw causeOf(error, 'stdout');
  });
}

/** An answer that breaks off ends without a system call, or in a read: the bytes are never read from a file. */
function causeOf(error: NodeJS.ErrnoException, path: string): Error {
  if (error.syscall !== undefined && error.syscall !== 'read') return notWritten(path, error);
  return new OrbweaverUnreachable(`its answer ended too soon: ${error.message}`);
}

/** Errors of a folder in which no file can be created, though an existing one may be writable. */
const CLOSED = new Set(['EACCES', 'EPERM', 'EROFS']);

/** A new file beside the target, with its mode and owner; the target itself if it is no file, or in a closed folder. */
async function openDraft(target: string): Promise<{ draft: string; file: WriteStream }> {
  const existing = await stat(target).catch(() => undefined);
  if (existing === undefined || existing.isFile()) {
    const draft = draftOf(target);
    const handle = await open(draft, 'wx', existing ? 0o600 : 0o666).catch(unlessClosed);
    if (handle && existing) await copyOwnership(handle, existing);
    if (handle) return { draft, file: handle.createWriteStream() };
  }
  return { draft: target, file: (await open(target, 'w')).createWriteStream() };
}

/**
 * As far as we may: only root can change the owner of files, and not every file system has owners. The mode is set last, and
 * again after `open`, whose mode the umask reduces.
 */
async function copyOwnership(draft: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const steps = [() => draft.chown(-1, gid), () => draft.chown(uid, -1), () => draft.chmod(mode & 0o777)];
  for (const step of steps) await step().catch(() => undefined);
}

/** A unique name: a file left by a killed run, in another container perhaps, may still be needed. */
const draftOf = (target: string): string =>
  join(dirname(target), `${basename(target).slice(0, 60)}.part-${randomBytes(6).toString('hex')}`);

/** Any other error is thrown: the content of the target would be lost before anything is written. */
function unlessClosed(error: NodeJS.ErrnoException): undefined {
  if (!CLOSED.has(error.code ?? '')) throw error;
}

/** A file that cannot be replaced (one that is mounted by itself) is overwritten. */
async function moveToTarget(draft: string, target: string): Promise<void> {
  if (draft === target) return;
  try {
    await rename(draft, target);
  } catch {
    await copyFile(draft, target);
    await rm(draft, { force: true });
  }
}

/** It could be opened, but not written: most likely the disk is full. */
const notWritten = (path: string, error: Error): CommandError =>
  new CommandError(COMMAND_EXIT.failed, `cannot write ${path}: ${error.message}`);

async function writeLines(out: Writable, name: string, values: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  let failure: NodeJS.ErrnoException | undefined;
  const fail = (error: NodeJS.ErrnoException): void => void (failure = error);
  out.on('error', fail);
  try {
    for await (const value of values) {
      if (!out.write(`${JSON.stringify(value)}\n`)) await drained(out);
      if (failure) break;
      count += 1;
    }
  } finally {
    out.off('error', fail);
  }
  if (failure && failure.code !== 'EPIPE') throw notWritten(name, failure);
  return count;
}

/** Resolves when the stream accepts more, or when it never will. */
function drained(out: Writable): Promise<void> {
  if (out.destroyed || !out.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error']) out.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) out.on(event, done);
  });
}
