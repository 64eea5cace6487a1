import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { COMMAND_EXIT, CommandError, usageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Values as JSON lines, to a file or to stdout. A reader that goes away (`| head`) ends the writing, not the command. */
export interface LineOutput {
  /** Writes all values; answers how many. */
  write(values: AsyncIterable<unknown>): Promise<number>;
  /** @throws the error of the last bytes: a full disk may tell late */
  close(): Promise<void>;
}

/** Opens `-` (stdout) or a file, which is emptied. @throws StartError `environment` when the file cannot be written */
export async function openOutput(command: string, path: string, { stdout }: Terminal): Promise<LineOutput> {
  if (path === '-') return { write: (values) => writeLines(stdout, values), close: async () => undefined };
  const file = createWriteStream(path);
  try {
    await once(file, 'open');
  } catch (error) {
    throw usageError(command, `cannot write --out ${path}: ${(error as Error).message}`);
  }
  let failure: Error | undefined;
  file.on('error', (error) => (failure ??= error));
  return {
    write: (values) =>
      writeLines(file, values).catch((error: unknown) => {
        throw failure ? notWhole(path, failure) : error;
      }),
    close: async () => {
      await new Promise<void>((resolve) => file.end(() => resolve()));
      if (failure) throw notWhole(path, failure);
    },
  };
}

/** The file was opened, and then something happened to it: a full disk, most likely. */
const notWhole = (path: string, error: Error): CommandError =>
  new CommandError(COMMAND_EXIT.failed, `cannot write ${path}: ${error.message}; what is there is not all`);

async function writeLines(out: Writable, values: AsyncIterable<unknown>): Promise<number> {
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
  if (failure && failure.code !== 'EPIPE') throw failure;
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
