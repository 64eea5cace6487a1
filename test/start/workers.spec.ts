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

function start(behaviour: 'runs' | 'fails' | 'ignores-stop', workers: number): void {
  vi.stubEnv('BEHAVIOUR', behaviour);
  running = startWorkers({
    databaseUrl: 'postgresql://nowhere/x',
    db: db.pool,
    workers,
    log: (line) => lines.push(line),
    program: join(import.meta.dirname, 'dying-worker.mjs'),
  });
}

/** What each worker wrote when it started: pid, API_KEYS, WORKERS. */
function notes(): string[] {
  try {
    return readFileSync(join(folder.path, 'notes'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

const pids = (): number[] => notes().map((note) => Number(note.split(' ')[0]));

describe('the workers of a server', () => {
  it('are as many as configured, and get no API keys in their environment', async () => {
    vi.stubEnv('API_KEYS', 'a-secret-of-24-characters');
    vi.stubEnv('RESTAPI_AUTH_USERS', 'ann|a-password-of-ann|admin');
    start('runs', 3);
    await expect.poll(notes).toHaveLength(3);
    expect(notes().map((note) => note.replace(/^\d+ /, ''))).toEqual(['- 3', '- 3', '- 3']);
  });

  it('are restarted when killed', async () => {
    start('runs', 1);
    await expect.poll(notes).toHaveLength(1);
    process.kill(pids()[0] ?? 0, 'SIGKILL');
    await expect.poll(notes).toHaveLength(2);
    expect(lines[0]).toMatch(/^worker \d+ ended \(SIGKILL\); another one starts in 500 ms$/);
  });

  it('are restarted with growing delays while they keep failing', async () => {
    start('fails', 1);
    await expect.poll(() => lines.length).toBe(3);
    expect(lines.map((line) => /in (\d+) ms/.exec(line)?.[1])).toEqual(['500', '1000', '2000']);
    expect(lines[0]).toMatch(/\(exit code 3\)/);
  });

  it('are started again after spawn has failed', async () => {
    const { execPath } = process;
    process.execPath = join(folder.path, 'no-such-program');
    try {
      start('runs', 1);
      await running?.ready;
      expect(lines[0]).toMatch(/^worker: spawn .* ENOENT; another one starts in 500 ms$/);
    } finally {
      process.execPath = execPath;
    }
    await expect.poll(notes).toHaveLength(1);
  });

  it('all end on stop, and none is restarted', async () => {
    start('runs', 2);
    await expect.poll(notes).toHaveLength(2);
    await running?.stop(5_000);
    for (const pid of pids()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(lines).toEqual([]);
  });

  it('are killed if they ignore the stop until the timeout', async () => {
    start('ignores-stop', 1);
    await expect.poll(notes).toHaveLength(1);
    await running?.stop(300);
    expect(() => process.kill(pids()[0] ?? 0, 0)).toThrow('ESRCH');
  });
});
