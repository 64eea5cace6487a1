import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

/** However a run of tests ends, none of its programs runs on, and its folders go. */

const root = join(import.meta.dirname, '../..');
/** Starts the whole program, with a PostgreSQL of its own. */
const STARTS = 'test/start/server.deep.spec.ts';
const STARTS_NOTHING = 'test/core/url/row-key.spec.ts';

let temporary: TemporaryFolder;
let run: ChildProcess;
let folder: string;
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
const runs = () => readdirSync(temporary.path).filter((name) => name.startsWith('orbweaver-run-'));

/** Processes that know the folder: the command of each by its number. A zombie is none. */
const programs = (): Map<number, string> =>
  new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && !read(`/proc/${name}/stat`).includes(') Z '))
      .map((name): [number, string] => [Number(name), read(`/proc/${name}/cmdline`).replaceAll('\0', ' ')])
      .filter(
        ([pid, command]) => command.includes(folder) || read(`/proc/${pid}/environ`).includes(`TMPDIR=${folder}`),
      ),
  );

function start(spec: string): ChildProcess {
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...env } = process.env;
  return spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', spec], {
    cwd: root,
    env: { ...env, TMPDIR: temporary.path },
    stdio: 'ignore',
    detached: true,
  });
}
const ended = (child: ChildProcess) =>
  child.exitCode ??
  child.signalCode ??
  new Promise((resolve) => child.once('exit', (code, why) => resolve(code ?? why)));

beforeEach(async () => {
  temporary = await temporaryFolder();
  run = start(STARTS);
  await expect.poll(runs).toHaveLength(1);
  folder = join(temporary.path, runs()[0]!);
  await expect.poll(() => [...programs().values()].join('\n')).toContain('dist/src/main.js');
});
afterEach(async () => {
  run.kill('SIGKILL');
  await ended(run);
  await temporary.remove();
});

describe('a run of tests', () => {
  it.each<[string, NodeJS.Signals]>([
    ['is killed', 'SIGKILL'],
    ['is interrupted', 'SIGINT'],
    ['is asked to end', 'SIGTERM'],
  ])('that %s leaves nothing', async (_, signal) => {
    run.kill(signal);
    await ended(run);
    await expect.poll(runs).toEqual([]);
    // The guard, which has removed the folder, ends last.
    expect([...programs().values()].filter((command) => !command.includes('run-folder.mjs'))).toEqual([]);
    await expect.poll(() => [...programs().values()]).toEqual([]);
  });

  it('that is killed with its guard leaves what the next one removes', async () => {
    const [guard] = [...programs()].find(([, command]) => command.includes('run-folder.mjs'))!;
    process.kill(guard, 'SIGKILL');
    run.kill('SIGKILL');
    await ended(run);
    expect(runs()).toHaveLength(1);
    expect(await ended(start(STARTS_NOTHING))).toBe(0);
    expect([...programs().values()]).toEqual([]);
    await expect.poll(runs).toEqual([]);
  });
});
