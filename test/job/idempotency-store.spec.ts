import { afterAll, beforeAll, expect, it } from 'vitest';
import { IdempotencyStore } from '../../src/job/idempotency.store.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';

/** Which request with a key runs after the process of an earlier one is presumed dead. */

let under: JobsUnderTest;
let store: IdempotencyStore;
beforeAll(async () => {
  under = await openJobs();
  store = new IdempotencyStore(under.pool);
});
afterAll(() => under.close());

const answered = (body: string) => ({ status: 200, headers: {}, body });

it('IdempotencyStore ignores the late answer of a request whose time has expired', async () => {
  const asked = { key: 'k1', hash: 'h1' };
  const old = await store.begin(asked);
  if (old.kind !== 'run') throw new Error(old.kind);
  expect(await store.begin(asked)).toEqual({ kind: 'running' });
  await under.db.query(`update request set running_until = now() - interval '1 second'`);
  const now = await store.begin(asked);
  expect(now).toEqual({ kind: 'run', token: old.token + 1 });
  await store.keep('k1', old.token, answered('late'));
  await store.giveUp('k1', old.token);
  expect(await store.begin(asked)).toEqual({ kind: 'running' });
  await store.keep('k1', old.token + 1, answered('of the one that ran'));
  await store.keep('k1', old.token + 1, answered('of nobody'));
  expect(await store.begin(asked)).toEqual({ kind: 'answered', answer: answered('of the one that ran') });
});

it('IdempotencyStore lets an expired request run again only with the same hash', async () => {
  await store.begin({ key: 'k2', hash: 'h1' });
  await under.db.query(`update request set running_until = now() - interval '1 second' where key = 'k2'`);
  expect(await store.begin({ key: 'k2', hash: 'h2' })).toEqual({ kind: 'reused' });
  expect(await store.begin({ key: 'k2', hash: 'h1' })).toMatchObject({ kind: 'run' });
});
