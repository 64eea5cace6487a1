import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inherited } from '../support/environment.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

/** A worker that ends before it has started leaves nothing in the temporary folder. */

const WORKER = fileURLToPath(new URL('../../dist/src/worker/worker.main.js', import.meta.url));

let db: TestDatabase;
let temporary: TemporaryFolder;
beforeEach(async () => {
  [db, temporary] = await Promise.all([testDatabase(), temporaryFolder()]);
});
afterEach(async () => {
  await temporary.remove();
  await db.drop();
});

const left = () => readdir(temporary.path);

it('a worker stopped during its start exits with 0 and leaves no file in the temporary folder', async () => {
  const holder = new pg.Client({ connectionString: db.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table job_task in access exclusive mode');
    const worker = fork(WORKER, {
      env: { ...inherited(), TMPDIR: temporary.path, DATABASE_URL: db.url, LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = once(worker, 'exit');
    await expect.poll(left).toHaveLength(1);
    worker.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await left()).toEqual([]);
  } finally {
    await holder.end();
  }
});

it('a worker whose database has no tables exits with 1 and logs why', async () => {
  const empty = await testDatabase({ empty: true });
  const worker = fork(WORKER, {
    env: { ...inherited(), TMPDIR: temporary.path, DATABASE_URL: empty.url, LOG_LEVEL: 'error', LOG_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(worker, 'exit');
  const [out, errors] = await Promise.all([text(worker.stdout!), text(worker.stderr!)]);
  expect(await ended).toEqual([1, null]);
  const err = { message: expect.stringMatching(/^relation ".+" does not exist$/), stack: expect.any(String) };
  expect(JSON.parse(out)).toMatchObject({ level: 'error', name: 'worker', msg: 'the worker could not start', err });
  expect(errors).toBe('');
  expect(await left()).toEqual([]);
  await empty.drop();
});
