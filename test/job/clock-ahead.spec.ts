import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IdempotencyStore } from '../../src/job/idempotency.store.js';
import {
  countWorkers,
  deleteLost,
  listWorkers,
  livingWorkers,
  recordHeartbeat,
  registerWorker,
} from '../../src/job/worker.store.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';
import { WebhooksUnderTest } from './webhooks-under-test.js';

/** Rows that were written while the clock of the database was an hour ahead, after it has been corrected. */

const HOUR = `interval '1 hour'`;

describe('after the database clock was an hour ahead: tasks and workers', () => {
  let under: JobsUnderTest;
  beforeAll(async () => (under = await openJobs()));
  afterAll(() => under.close());
  beforeEach(async () => {
    await under.db.query('delete from worker');
    await under.db.query('delete from job');
    await under.announced();
  });

  it('rescue shortens leases to their usual length, after which they expire', async () => {
    const { id, claims } = await under.running(2);
    await under.db.query(`update job_task set lease_until = lease_until + ${HOUR}`);
    await under.tasks.rescue();
    const leases = await under.db.query(
      `select lease_until between now() and now() + interval '20 s' as usual from job_task where job = $1`,
      [id],
    );
    expect(leases).toEqual([{ usual: true }, { usual: true }]);
    // The owner may be alive: it keeps its task until its next heartbeat is missed.
    expect((await under.tasksOf(id)).map(({ state }) => state)).toEqual(['RUNNING', 'RUNNING']);
    await under.expire(claims[0]!.task);
    await under.tasks.rescue();
    expect((await under.tasksOf(id)).map(({ state }) => state)).toEqual(['WAITING', 'RUNNING']);
  });

  it('rescue announces a task again whose message would be delayed for an hour', async () => {
    const { id } = await under.create();
    await under.db.query(`update job_task set queued_at = queued_at + ${HOUR}`);
    await under.db.query(`update pgboss.job set start_after = start_after + ${HOUR} where state = 'created'`);
    expect(await under.announced()).toEqual([]);
    await under.tasks.rescue();
    expect((await under.claimNext())?.job).toBe(id);
  });

  it('a worker with a heartbeat in the future counts as lost until its next heartbeat', async () => {
    const self = { id: 'a', server: 's', machine: 'm', pid: 7, role: 'worker', version: '0.1.0', slots: 3 };
    const report = { leaving: false, pagesPerSecond: 1, load: 0, memoryBytes: 1 };
    const state = async () => (await listWorkers(under.pool, { after: '', limit: 9 })).map((worker) => worker.state);
    await registerWorker(under.pool, self, report);
    await registerWorker(under.pool, { ...self, id: 'b', server: 's2' }, report);
    await under.db.query(`update worker set seen_at = seen_at + ${HOUR} where id = 'a'`);
    expect([await livingWorkers(under.pool), await countWorkers(under.pool), await state()]).toEqual([
      ['b'],
      { processes: 1, servers: 1 },
      ['lost', 'alive'],
    ]);
    await deleteLost(under.pool);
    const [row] = await under.db.query(`select seen_at < now() as past from worker where id = 'a'`);
    expect(row).toEqual({ past: true });
    await recordHeartbeat(under.pool, self, report);
    expect((await livingWorkers(under.pool)).toSorted()).toEqual(['a', 'b']);
  });

  it('a request with an Idempotency-Key runs again although its mark as running expires an hour later', async () => {
    const store = new IdempotencyStore(under.pool);
    const request = { key: 'k', hash: 'h' };
    expect(await store.begin(request)).toMatchObject({ kind: 'run' });
    expect(await store.begin(request)).toEqual({ kind: 'running' });
    await under.db.query(`update request set running_until = running_until + ${HOUR}`);
    expect(await store.begin(request)).toMatchObject({ kind: 'run' });
  });
});

describe('after the database clock was an hour ahead: webhooks', () => {
  let hooks: WebhooksUnderTest;
  beforeAll(async () => (hooks = await WebhooksUnderTest.open()));
  afterAll(() => hooks?.close());
  beforeEach(() => hooks.reset());
  afterEach(() => hooks.closeSenders());

  it('webhooks and their pending deliveries are claimed again', async () => {
    const { id } = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    await hooks.jobs.db.query(`update webhook set busy_until = now() + ${HOUR}`);
    expect((await hooks.outbox.claim(1)).map(({ webhook }) => webhook)).toEqual([id]);
    // The longest wait for the next attempt is seven hours and twelve minutes.
    await hooks.jobs.db.query(`update webhook set busy_until = null`);
    await hooks.jobs.db.query(`update webhook_delivery set next_at = now() + interval '7 hours 13 min'`);
    expect(await hooks.outbox.claim(1)).toEqual([]);
    await hooks.jobs.db.query(`update webhook_delivery set next_at = now() + interval '7 hours 15 min'`);
    const [turn] = await hooks.outbox.claim(1);
    expect((await hooks.outbox.begin(turn!))?.attempts).toBe(1);
  });
});
