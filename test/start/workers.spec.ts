import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startWorkers, type WorkerProcesses } from '../../src/commands/workers.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

let db: TestDatabase;
let folder: TemporaryFolder;
let running: WorkerProcesses | undefined;
const lines: string[] = [];

beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());
beforeEach(async () => {
  folder = await temporaryFolder();
  vi.stubEnv('NOTES', join(folder.path, 'notes'));
  lines.length = 0;
});
afterEach(async () => {
  await running?.stop(1_000);
  vi.unstubAllEnvs();
  await folder.remove();
});

function start(mood: 'lives' | 'dies' | 'deaf', workers: number): void {
  vi.stubEnv('MOOD', mood);
  running = startWorkers({
    databaseUrl: 'postgresql://nowhere/x',
    db: db.pool,
    workers,
    log: (line) => lines.push(line),
    program: join(import.meta.dirname, 'dying-worker.mjs'),
  });
}

/** What each worker wrote when it started: pid, its API_KEYS, its WORKERS. */
function notes(): string[] {
  try {
    return readFileSync(join(folder.path, 'notes'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

const pids = (): number[] => notes().map((note) => Number(note.split(' ')[0]));

describe('the workers of a server', () => {
  it('has as many as asked for, who never see the API keys', async () => {
    vi.stubEnv('API_KEYS', 'a-secret-of-24-characters');
    vi.stubEnv('RESTAPI_AUTH_USERS', 'ann|a-password-of-ann|admin');
    start('lives', 3);
    await expect.poll(notes).toHaveLength(3);
    expect(notes().map((note) => note.replace(/^\d+ /, ''))).toEqual(['- 3', '- 3', '- 3']);
  });

  it('replaces a worker that is killed', async () => {
    start('lives', 1);
    await expect.poll(notes).toHaveLength(1);
    process.kill(pids()[0] ?? 0, 'SIGKILL');
    await expect.poll(notes).toHaveLength(2);
    expect(lines[0]).toMatch(/^worker \d+ ended \(SIGKILL\); another one starts in 500 ms$/);
  });

  it('waits longer each time while a worker keeps dying', async () => {
    start('dies', 1);
    await expect.poll(() => lines.length).toBe(3);
    expect(lines.map((line) => /in (\d+) ms/.exec(line)?.[1])).toEqual(['500', '1000', '2000']);
    expect(lines[0]).toMatch(/\(exit code 3\)/);
  });

  it('tries again when the machine has no room for one', async () => {
    const { execPath } = process;
    process.execPath = join(folder.path, 'no-such-program');
    try {
      start('lives', 1);
      await running?.ready;
      expect(lines[0]).toMatch(/^worker: spawn .* ENOENT; another one starts in 500 ms$/);
    } finally {
      process.execPath = execPath;
    }
    await expect.poll(notes).toHaveLength(1);
  });

  it('stops all of them and starts none again', async () => {
    start('lives', 2);
    await expect.poll(notes).toHaveLength(2);
    await running?.stop(5_000);
    for (const pid of pids()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(lines).toEqual([]);
  });

  it('kills one that does not listen when the time is over', async () => {
    start('deaf', 1);
    await expect.poll(notes).toHaveLength(1);
    await running?.stop(300);
    expect(() => process.kill(pids()[0] ?? 0, 0)).toThrow('ESRCH');
  });
});
