import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CappedTask } from '../../src/plugin/capped/capped-tasks.js';
import { CappedProcess, CappedWorkError } from '../../src/plugin/capped/capped-process.js';
import { PATIENCE_MS } from '../support/patience.js';

/** The process for heavy work: a hang or a crash in it fails one page and nothing else. */

const program = pathToFileURL(join(import.meta.dirname, 'hard-tasks.mjs'));
/** Most tests are not about the time limit of a page. */
const caps = { seconds: PATIENCE_MS / 1_000, megabytes: 256 };
const capped = new CappedProcess(program);
afterAll(() => capped.end());

const run = (task: string, input: unknown = null, asked = caps) =>
  capped.run(task as CappedTask, input as never, asked) as Promise<unknown>;
const failure = (task: string, asked = caps) =>
  run(task, null, asked).then(
    () => 'no failure',
    (error: unknown) => (error instanceof CappedWorkError ? [error.kind, error.message] : error),
  );
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the capped process', () => {
  it('is not started before something needs it', () => {
    expect(new CappedProcess(program).pid).toBeNull();
  });

  it('runs task after task and returns the result of each', async () => {
    const bytes = new Uint8Array([0, 255, 7]);
    const answers = await Promise.all([run('echo', { bytes }), run('fail').catch(String), run('echo', 'ß')]);
    expect(answers).toEqual([{ bytes }, 'CappedWorkError: not a document', 'ß']);
  });

  it.each(['hang', 'backtrack', 'wait'])('fails a page that does not end (%s), and runs the next one', async (task) => {
    const reason = 'timeout: took longer than 0.3 s (parser.timeout)';
    expect(await failure(task, { ...caps, seconds: 0.3 })).toEqual(['timeout', reason]);
    expect(await run('echo', 1)).toBe(1);
  });

  it.each(['objects', 'arrays', 'largeArray', 'map', 'strings', 'buffers', 'json'])(
    'fails a page that takes too much memory (%s), and runs the next one',
    async (task) => {
      const reason = 'memory: took more than 256 MB (parser.worker.memory)';
      expect(await failure(task)).toEqual(['memory', reason]);
      expect(await run('echo', 1)).toBe(1);
    },
  );

  it.each([
    ['fail', 'not a document'],
    ['deep', 'Maximum call stack size exceeded'],
    ['exit', 'the process for heavy pages ended (exit code 3)'],
  ])('reports why a page failed (%s), and runs the next one', async (task, reason) => {
    expect(await failure(task)).toEqual(['exception', reason]);
    expect(await run('echo', 1)).toBe(1);
  });

  it.each([
    ['ends the process', 'exit', 'the process for heavy pages ended (exit code 3)'],
    ['never ends', 'hang', 'timeout: took longer than 1 s (parser.timeout)'],
  ])('returns the whole result of a page, although the one after it %s', async (_what, task, reason) => {
    const short = { ...caps, seconds: 1 };
    const results = await Promise.all([run('long', 20_000_000), run(task, null, short).catch(String)]);
    expect(results[0]).toHaveLength(20_000_000);
    expect(results[1]).toBe(`CappedWorkError: ${reason}`);
  });

  it('fails a page that it does not begin, also one that was sent while another was read', async () => {
    const own = new CappedProcess(program);
    const runOwn = (task: string) => own.run(task as CappedTask, 'x' as never, caps) as Promise<unknown>;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
      own.end();
    });
    const [first, next] = [runOwn('echo'), runOwn('unloadable').catch(String)];
    expect(await first).toBe('x');
    vi.advanceTimersByTime(60_000);
    expect(await next).toBe('CappedWorkError: the process for heavy pages does not start');
  });

  it('that has died unnoticed fails no page sent to it: a new one runs it', async () => {
    await run('echo');
    const pid = capped.pid!;
    process.kill(pid, 'SIGKILL');
    const state = () => execFileSync('ps', ['-o', 'stat=', '-p', String(pid)]).toString();
    while (!state().startsWith('Z'));
    expect(await run('echo', 1)).toBe(1);
    expect(capped.pid).not.toBe(pid);
  });

  it('that cannot be started fails its pages', async () => {
    const none = new CappedProcess(new URL('http://program.test/'));
    const pages = [1, 2].map((input) => none.run('echo' as CappedTask, input as never, caps));
    const reason = 'CappedWorkError: the process for heavy pages: The URL must be of scheme file';
    expect(await Promise.all(pages.map((page) => page.catch(String)))).toEqual([reason, reason]);
  });

  it('survives an unhandled rejection of a page', async () => {
    expect(await run('forgotten')).toBe('done');
  });

  it('fails no page for the memory that earlier ones retain', async () => {
    const own = new CappedProcess(program);
    const hold = () => own.run('hold' as CappedTask, 24 as never, caps) as Promise<unknown>;
    for (let page = 0; page < 12; page++) expect(await hold()).toBe('held');
    own.end();
  });

  it('is replaced for another memory limit, and kept for the same', async () => {
    await run('echo');
    const { pid } = capped;
    await run('echo', null, { ...caps, seconds: caps.seconds / 2 });
    expect(capped.pid).toBe(pid);
    await run('echo', null, { ...caps, megabytes: 300 });
    expect(capped.pid).not.toBe(pid);
  });

  it('has no environment variables, and may not write files, start programs or compile code', async () => {
    expect(await run('environment')).toEqual([]);
    for (const task of ['write', 'start'])
      expect(await failure(task)).toEqual(['exception', expect.stringContaining('permission')]);
    expect(await failure('code')).toEqual(['exception', expect.stringContaining('Code generation')]);
  });

  it.each([
    ['while it processes a page that never ends', 'later'],
    ['before it has started a page that never ends', 'at once'],
  ])('exits with its parent, even %s', async (_what, when) => {
    const parent = spawn(process.execPath, [join(import.meta.dirname, 'hard-parent.mjs'), 'hang', when], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (said) => resolve(Number(said))));
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('does not keep its parent from exiting', () => {
    const said = execFileSync(process.execPath, [join(import.meta.dirname, 'hard-parent.mjs'), 'echo'], {
      timeout: PATIENCE_MS,
    });
    expect(Number(String(said))).toBeGreaterThan(0);
  });
});
