import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { CappedPool } from '../../src/plugin/capped/capped-pool.js';
import { CappedProcess } from '../../src/plugin/capped/capped-process.js';
import type { CappedTask } from '../../src/plugin/capped/capped-tasks.js';
import { PATIENCE_MS } from '../support/patience.js';

/** The capped processes of a worker: more than one only when pages wait and a core is free. */

const program = pathToFileURL(join(import.meta.dirname, 'hard-tasks.mjs'));
const caps = { seconds: PATIENCE_MS / 1_000, megabytes: 256, processes: 3 };
let pool: CappedPool;
afterEach(() => pool.end());

function poolWith(free: boolean | (() => boolean)) {
  pool = new CappedPool(() => new CappedProcess(program), { hasOne: typeof free === 'boolean' ? () => free : free });
  const run = (task: string, input: unknown = null, asked = caps) =>
    pool.run(task as CappedTask, input as never, asked) as Promise<unknown>;
  return run;
}

it('the pool has no process before a page arrives, and one when no core is free', async () => {
  const run = poolWith(false);
  expect(pool.pids).toEqual([]);
  expect(await Promise.all([1, 2, 3, 4, 5].map((n) => run('echo', n)))).toEqual([1, 2, 3, 4, 5]);
  expect(pool.pids).toHaveLength(1);
});

it('other pages are processed while one hangs when cores are free', async () => {
  const run = poolWith(true);
  const never = run('hang').catch((error: unknown) => String(error));
  expect(await Promise.all([1, 2, 3].map((n) => run('echo', n)))).toEqual([1, 2, 3]);
  expect(pool.pids.length).toBeGreaterThan(1);
  pool.end();
  expect(await never).toBe('CappedWorkError: the process for heavy pages was ended');
});

it('pages that wait behind a hanging one are processed once a core is free', async () => {
  let isFree = false;
  const run = poolWith(() => isFree);
  const never = run('hang').catch(() => undefined);
  // The next page is sent to the same process at once: it is moved when another process can take it.
  const others = Promise.all([1, 2, 3].map((n) => run('echo', n)));
  expect(pool.pids).toHaveLength(1);
  isFree = true;
  expect(await others).toEqual([1, 2, 3]);
  pool.end();
  await never;
});

it('a page sent behind a slow one is processed once a core is free, and later pages are, too', async () => {
  let isFree = false;
  const run = poolWith(() => isFree);
  const slow = run('hang', null, { ...caps, seconds: 3 }).catch(String);
  const ahead = run('echo', 1);
  isFree = true;
  expect(await ahead).toBe(1);
  expect(await slow).toBe('CappedWorkError: timeout: took longer than 3 s (parser.timeout)');
  expect(await Promise.all([2, 3, 4].map((n) => run('sleep', n)))).toEqual([2, 3, 4]);
});

it('a process that has exited is not restarted when no core is free', async () => {
  let isFree = true;
  const run = poolWith(() => isFree);
  const both = [run('sleep', 1), run('exit').catch(String)];
  expect(pool.pids).toHaveLength(2);
  expect(await Promise.all(both)).toEqual([1, expect.stringContaining('ended (exit code 3)')]);
  isFree = false;
  const pages = [2, 3, 4].map((n) => run('sleep', n));
  expect(pool.pids).toHaveLength(1);
  expect(await Promise.all(pages)).toEqual([2, 3, 4]);
  expect(pool.pids).toHaveLength(1);
});

it('pages that wait fail, too, when the pool ends', async () => {
  const run = poolWith(false);
  const pages = Array.from({ length: 5 }, () => run('hang').catch(String));
  pool.end();
  for (const page of await Promise.all(pages)) expect(page).toMatch(/ ended$/);
  expect(pool.pids).toEqual([]);
});

it('the pool has no more than the configured number of processes', async () => {
  const run = poolWith(true);
  const pages = Array.from({ length: 12 }, (_, n) => run('sleep', n));
  expect(pool.pids.length).toBeLessThanOrEqual(3);
  expect(await Promise.all(pages)).toEqual(Array.from({ length: 12 }, (_, n) => n));
  expect(pool.pids).toHaveLength(3);
});

it('a page that exceeds its time fails, and none of those that wait for it', async () => {
  const run = poolWith(false);
  const short = { ...caps, seconds: 0.3 };
  const pages = [run('hang', null, short).catch(String), run('echo', 1), run('fail').catch(String), run('echo', 2)];
  expect(await Promise.all(pages)).toEqual([
    'CappedWorkError: timeout: took longer than 0.3 s (parser.timeout)',
    1,
    'CappedWorkError: not a document',
    2,
  ]);
});

it('a page that takes too much memory fails, and none of those that wait for it', async () => {
  const run = poolWith(false);
  const pages = [run('buffers').catch(String), run('echo', 1), run('echo', 2)];
  expect(await Promise.all(pages)).toEqual([
    'CappedWorkError: memory: took more than 256 MB (parser.worker.memory)',
    1,
    2,
  ]);
});
