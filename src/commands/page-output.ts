import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { COMMAND_EXIT, CommandError, usageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Values as JSON lines, to a file or to stdout. A reader that goes away (`| head`) ends the writing, not the command. */
export interface LineOutput {
  /** Writes all values; answers how many. */
  write(values: AsyncIterable<unknown>): Promise<number>;
  /** Puts a file in its place. @throws the error of the last bytes: a full disk may tell late */
  close(): Promise<void>;
}

/**
 * Opens `-` (stdout), a device or a pipe, or a file: that one keeps what it holds until all is written, beside it.
 * @throws StartError `environment` when it cannot be written
 */
export async function openOutput(command: string, path: string, { stdout }: Terminal): Promise<LineOutput> {
  if (path === '-') return { write: (values) => writeLines(stdout, 'stdout', values), close: async () => undefined };
  const target = await realpath(path).catch(() => path);
  const draft = (await isFile(target)) ? `${target}.part` : target;
  const file = createWriteStream(draft);
  try {
    await once(file, 'open');
  } catch (error) {
    throw usageError(command, `cannot write --out ${path}: ${(error as Error).message}`);
  }
  let failure: Error | undefined;
  let whole = false;
  file.on('error', (error) => (failure ??= error));
  return {
    write: async (values) => {
      const count = await writeLines(file, path, values);
      whole = true;
      return count;
    },
    close: async () => {
      await new Promise<void>((resolve) => file.end(() => resolve()));
      if (draft !== target) await (whole && !failure ? rename(draft, target) : rm(draft, { force: true }));
      if (failure) throw notWritten(path, failure);
    },
  };
}

/** A file, or nothing yet. */
async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ?? true;
}

/** It was opened, and then something happened to it: a full disk, most likely. */
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

/** Resolves when there is room, or when there never will be. */
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
