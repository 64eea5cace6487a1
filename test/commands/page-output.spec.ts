import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import { openOutput, writeBytes, writeFileWhole } from '../../src/commands/page-output.js';
import type { Terminal } from '../../src/commands/terminal.js';
import { isRoot } from '../../src/db/embedded/account.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

/** JSON lines to files and pipes. */

let folder: TemporaryFolder;
beforeEach(async () => (folder = await temporaryFolder()));
afterEach(() => folder.remove());

const terminalOf = (stdout: Writable): Terminal => ({ stdout, stderr: stdout, variables: {} });
const nowhere = terminalOf(new Writable());

/** A source that counts how many values were read from it. */
function source(count: number) {
  const taken = { count: 0 };
  async function* values(): AsyncGenerator<object> {
    for (; taken.count < count; taken.count += 1) yield { n: taken.count };
  }
  return { taken, values: values() };
}

describe('openOutput: JSON lines', () => {
  it('replace the content of a file, and are complete after write', async () => {
    const path = join(folder.path, 'pages.jsonl');
    for (const count of [3, 2]) {
      const output = await openOutput('crawl', path, nowhere);
      expect(await output.write(source(count).values)).toBe(count);
      await output.close();
    }
    expect(await readFile(path, 'utf8')).toBe('{"n":0}\n{"n":1}\n');
  });

  it('leave the file unchanged when the source fails', async () => {
    const path = join(folder.path, 'pages.jsonl');
    await writeFile(path, 'old\n');
    const output = await openOutput('crawl', path, nowhere);
    expect(await readFile(path, 'utf8')).toBe('old\n');
    async function* broken(): AsyncGenerator<object> {
      yield* source(3).values;
      throw new Error('no more');
    }
    await expect(output.write(broken())).rejects.toThrow('no more');
    await output.close();
    expect(await readFile(path, 'utf8')).toBe('old\n');
    expect(await readdir(folder.path)).toEqual(['pages.jsonl']);
  });

  it('keep the mode of the file, and other files next to it', async () => {
    const path = join(folder.path, 'pages.jsonl');
    await writeFile(path, 'old\n', { mode: 0o600 });
    await writeFile(`${path}.part`, 'mine\n');
    const output = await openOutput('crawl', path, nowhere);
    await output.write(source(1).values);
    await output.close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(`${path}.part`, 'utf8')).toBe('mine\n');
  });

  it('keep the mode of the file regardless of the umask', async () => {
    const path = join(folder.path, 'pages.jsonl');
    await writeFile(path, 'old\n');
    await chmod(path, 0o666);
    const usual = process.umask(0o027);
    try {
      const output = await openOutput('crawl', path, nowhere);
      await output.write(source(1).values);
      await output.close();
    } finally {
      process.umask(usual);
    }
    expect((await stat(path)).mode & 0o777).toBe(0o666);
  });

  it('keep owner and group of the file', onlyWhere(isRoot(), 'needs root'), async () => {
    const path = join(folder.path, 'pages.jsonl');
    await writeFile(path, 'old\n', { mode: 0o640 });
    await chown(path, 1_234, 5_678);
    const output = await openOutput('crawl', path, nowhere);
    await output.write(source(1).values);
    await output.close();
    expect(await stat(path)).toMatchObject({ uid: 1_234, gid: 5_678, mode: 0o100640 });
  });

  it('keep the old content until write, also with a partial file of an earlier run', async () => {
    const path = join(folder.path, 'pages.jsonl');
    await writeFile(path, 'old\n');
    await writeFile(`${path}.part-${process.pid}`, 'half\n');
    const output = await openOutput('crawl', path, nowhere);
    expect(await readFile(path, 'utf8')).toBe('old\n');
    await output.write(source(1).values);
    await output.close();
    expect(await readFile(path, 'utf8')).toBe('{"n":0}\n');
  });

  it('are written to a file with a name of maximum length', async () => {
    const path = join(folder.path, 'é'.repeat(127));
    for (const count of [1, 2]) {
      const output = await openOutput('crawl', path, nowhere);
      await output.write(source(count).values);
      await output.close();
    }
    expect(await readFile(path, 'utf8')).toBe('{"n":0}\n{"n":1}\n');
  });

  it(
    'leave the file unchanged when the disk has no space for a second file',
    onlyWhere(isRoot(), 'needs root'),
    async () => {
      const disk = join(folder.path, 'disk');
      const path = join(disk, 'pages.jsonl');
      await mkdir(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=2', 'tmpfs', disk]);
      try {
        await writeFile(path, 'old\n');
        await expect(openOutput('crawl', path, nowhere)).rejects.toMatchObject({
          failure: 'environment',
          message: expect.stringMatching(/cannot write --out .*: ENOSPC/),
        });
        expect(await readFile(path, 'utf8')).toBe('old\n');
      } finally {
        execFileSync('umount', ['--lazy', disk]);
      }
    },
  );

  it(
    'leave the file unchanged, and fail with code 8, when the last bytes do not fit on the disk',
    onlyWhere(isRoot(), 'needs root'),
    async () => {
      const disk = join(folder.path, 'disk');
      const path = join(disk, 'pages.jsonl');
      await mkdir(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', disk]);
      try {
        await writeFile(path, 'old\n');
        const output = await openOutput('crawl', path, nowhere);
        const writing = output.write(Readable.from([{ text: 'x'.repeat(12_000) }])).finally(() => output.close());
        await expect(writing).rejects.toMatchObject({ exitCode: 8, message: expect.stringContaining('ENOSPC') });
        expect(await readFile(path, 'utf8')).toBe('old\n');
        expect(await readdir(disk)).toEqual(['pages.jsonl']);
      } finally {
        execFileSync('umount', ['--lazy', disk]);
      }
    },
  );

  it(
    'fail with code 8 when a device refuses the last bytes',
    onlyWhere(existsSync('/dev/full'), 'needs Linux'),
    async () => {
      const output = await openOutput('crawl', '/dev/full', nowhere);
      const writing = output.write(source(1).values).finally(() => output.close());
      await expect(writing).rejects.toMatchObject({ exitCode: 8, message: expect.stringContaining('ENOSPC') });
    },
  );

  it('are written into a writable file in a read-only folder', onlyWhere(isRoot(), 'needs root'), async () => {
    const path = join(folder.path, 'pages.jsonl');
    await writeFile(path, 'old\n');
    execFileSync('mount', ['--bind', folder.path, folder.path]);
    execFileSync('mount', ['--bind', path, path]);
    execFileSync('mount', ['-o', 'remount,bind,ro', folder.path]);
    try {
      const output = await openOutput('crawl', path, nowhere);
      await output.write(source(2).values);
      await output.close();
      expect(await readFile(path, 'utf8')).toBe('{"n":0}\n{"n":1}\n');
    } finally {
      execFileSync('umount', [path]);
      execFileSync('umount', [folder.path]);
    }
  });

  it('are written into a file that cannot be replaced', onlyWhere(isRoot(), 'needs root'), async () => {
    const path = join(folder.path, 'pages.jsonl');
    await writeFile(path, 'old\n');
    execFileSync('mount', ['--bind', path, path]);
    try {
      const output = await openOutput('crawl', path, nowhere);
      await output.write(source(2).values);
      await output.close();
      expect(await readFile(path, 'utf8')).toBe('{"n":0}\n{"n":1}\n');
      expect(await readdir(folder.path)).toEqual(['pages.jsonl']);
    } finally {
      execFileSync('umount', [path]);
    }
  });

  it('are written to the target of a symbolic link, and directly into a pipe', async () => {
    const [file, link, pipe] = ['file', 'link', 'pipe'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(file, 'old\n');
    await symlink(file, link);
    execFileSync('mkfifo', [pipe]);
    const reader = readFile(pipe, 'utf8');
    for (const path of [link, pipe]) {
      const output = await openOutput('crawl', path, nowhere);
      await output.write(source(1).values);
      await output.close();
    }
    expect([await readFile(file, 'utf8'), await reader]).toEqual(['{"n":0}\n', '{"n":0}\n']);
    expect((await readdir(folder.path)).sort()).toEqual(['file', 'link', 'pipe']);
  });

  it('are read from the source only as fast as the reader takes them', async () => {
    const { taken, values } = source(100);
    let most = 0;
    let written = 0;
    const slow = new Writable({
      highWaterMark: 20,
      write: (_, _encoding, done) => {
        written += 1;
        most = Math.max(most, taken.count - written);
        setImmediate(done);
      },
    });
    const output = await openOutput('crawl', '-', terminalOf(slow));
    expect(await output.write(values)).toBe(100);
    expect(most).toBeLessThan(5);
  });

  it.each([1, 64])('end without an error when the reader has closed (%i bytes of buffer)', async (highWaterMark) => {
    const { taken, values } = source(1_000_000);
    const gone = new Writable({
      highWaterMark,
      write: (_, _encoding, done) => setImmediate(done, Object.assign(new Error('gone'), { code: 'EPIPE' })),
    });
    gone.on('error', () => undefined);
    const output = await openOutput('crawl', '-', terminalOf(gone));
    await output.write(values);
    expect(taken.count).toBeLessThan(1_000);
  });

  it('on a full disk end with a one-line error and code 8', async () => {
    const full = new Writable({
      write: (_, _encoding, done) => done(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
    });
    const output = await openOutput('crawl', '-', terminalOf(full));
    await expect(output.write(source(1_000_000).values)).rejects.toMatchObject({
      message: 'cannot write stdout: no space left',
      exitCode: 8,
    });
  });
});

describe('bytes of the server', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  const broken = () => Readable.from(failing());
  async function* failing(): AsyncGenerator<Buffer> {
    yield Buffer.from('Recno:: 0');
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  }

  it('that cannot be written to stdout are a failure of the command', async () => {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(full) });
    const writing = writeBytes(Readable.from([Buffer.from('Recno:: 0')]), terminalOf(stdout));
    await expect(writing).rejects.toMatchObject({ exitCode: 8, message: `cannot write stdout: ${full.message}` });
  });

  it('are no longer written when the reader of stdout is gone', async () => {
    const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(gone) });
    await writeBytes(Readable.from([Buffer.from('Recno:: 0')]), terminalOf(stdout));
  });

  it('that end too soon are a failure of the server, and leave no file', async () => {
    const ended = { name: 'OrbweaverUnreachable', message: 'its answer ended too soon: aborted' };
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
    await expect(writeBytes(broken(), terminalOf(stdout))).rejects.toMatchObject(ended);
    await expect(writeFileWhole('readseg', join(folder.path, 'dump'), broken())).rejects.toMatchObject(ended);
    expect(await readdir(folder.path)).toEqual([]);
  });
});
