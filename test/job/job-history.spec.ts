import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { eventsOf, logEvent } from '../../src/job/job-event.store.js';
import { under, useJobs } from './jobs-under-test.js';

useJobs();

describe('purge of the job history', () => {
  it('deletes jobs that ended before jobDays with tasks and events, and keeps open jobs', async () => {
    const [old, young, open] = [await under.running(1), await under.running(1), await under.running(1)];
    await under.tasks.finish(old.claims[0]!, { reason: 'done' });
    await under.tasks.finish(young.claims[0]!, { reason: 'done' });
    await under.db.query(`update job set ended_at = now() - interval '31 days' where id = $1`, [old.id]);
    await under.db.query(`update job set created_at = now() - interval '90 days' where id = $1`, [open.id]);
    await under.db.query(`update job_event set time = now() - interval '31 days' where job = $1`, [old.id]);
    expect(await under.jobs.purge({ jobDays: 30, eventDays: 30 })).toBe(1);
    expect(await under.jobs.find(old.id)).toBeUndefined();
    expect(await under.tasksOf(old.id)).toEqual([]);
    expect(await eventsOf(under.pool, old.id)).toEqual([]);
    expect(await under.jobs.find(young.id)).toBeDefined();
    expect(await under.jobs.find(open.id)).toBeDefined();
    expect(await eventsOf(under.pool, open.id)).not.toEqual([]);
  });

  it('keeps the steps of a crawl as long as its own job, whose open batches they show', async () => {
    const [crawl, step] = [await under.running(1, { type: 'READDB' }), await under.running(1)];
    for (const { claims } of [step, crawl]) await under.tasks.finish(claims[0]!, { reason: 'done' });
    await under.db.query(`update job set parent = $1, round = 1 where id = $2`, [crawl.id, step.id]);
    const endedAgo = (id: string, days: number) =>
      under.db.query(`update job set ended_at = now() - make_interval(days => $2) where id = $1`, [id, days]);
    await endedAgo(step.id, 60);
    await endedAgo(crawl.id, 1);
    expect(await under.jobs.purge({ jobDays: 30, eventDays: 30 })).toBe(0);
    await endedAgo(crawl.id, 31);
    expect(await under.jobs.purge({ jobDays: 30, eventDays: 30 })).toBe(2);
  });

  it('deletes events older than eventDays of ended and deleted jobs, and of open jobs only their progress', async () => {
    const [open, gone, ended] = [await under.running(1), await under.running(1), await under.running(1)];
    await under.tasks.finish(gone.claims[0]!, { reason: 'done' });
    // More events than one statement of the purge reads precede the others.
    await under.db.query(
      `insert into job_event (job, crawl, kind, data)
       select $1, 1, case when n % 2 = 0 then 'progress' else 'warning' end, '{}' from generate_series(1, 12000) as n`,
      [open.id],
    );
    await under.tasks.finish(ended.claims[0]!, { reason: 'done' });
    await under.db.query('delete from job where id = $1', [gone.id]);
    await under.db.query(`update job_event set time = now() - interval '31 days'`);
    await logEvent(under.pool, ended.id, 'warning', { n: 1 });
    await logEvent(under.pool, open.id, 'progress', { n: 1 });
    const before = await eventsOf(under.pool, open.id, '0', { limit: 20_000 });
    await under.jobs.purge({ jobDays: 90, eventDays: 30 });
    const left = await eventsOf(under.pool, open.id, '0', { limit: 20_000 });
    // A task writes its progress once a second, and a FETCH may run for weeks.
    expect(left).toEqual(before.filter(({ kind, data }) => kind !== 'progress' || data['n'] === 1));
    expect([before.length, left.length]).toEqual([12_004, 6_004]);
    expect(await eventsOf(under.pool, gone.id)).toEqual([]);
    expect((await eventsOf(under.pool, ended.id)).map(({ data }) => data)).toEqual([{ n: 1 }]);
  });

  it('events are read in order, after a given id', async () => {
    const { id, claims } = await under.running(1);
    await under.tasks.finish(claims[0]!, { reason: 'done' });
    const all = await eventsOf(under.pool, id);
    expect(all.map(({ kind, data }) => `${kind} ${String(data['state'])}`)).toEqual([
      'state IDLE',
      'state RUNNING',
      'task RUNNING',
      'task DONE',
      'state FINISHED',
    ]);
    expect(await eventsOf(under.pool, id, all[2]!.id)).toEqual(all.slice(3));
    expect(await eventsOf(under.pool, id, '0', { limit: 2 })).toEqual(all.slice(0, 2));
  });

  it('the result of a job has its first different warnings, shortened, whether it finished or failed', async () => {
    for (const isFailing of [false, true]) {
      const { id, claims } = await under.running(1);
      for (const message of ['one', 'one', ...Array.from({ length: 12 }, (_, n) => `${n} ${'x'.repeat(2_000)}`)])
        await logEvent(under.pool, id, 'warning', { message });
      await logEvent(under.pool, id, 'warning', { n: 1 });
      if (isFailing) await transaction(under.pool, (tx) => under.jobs.fail(tx, id, 'ERROR: no', 'GIVEN_UP'));
      else await under.tasks.finish(claims[0]!, { reason: 'done' });
      const warnings = (await under.jobs.find(id))!.result!['warnings'] as string[];
      const expected = ['one', '0 x', '1 x', '2 x', '3 x', '4 x', '5 x', '6 x', '7 x', '8 x'];
      expect(warnings.map((text) => text.slice(0, 3))).toEqual(expected);
      expect(Math.max(...warnings.map(({ length }) => length))).toBe(500);
    }
  });

  it('an event whose transaction is rolled back is not stored', async () => {
    const { id } = await under.create();
    await transaction(under.pool, async (tx) => {
      await under.jobs.move(tx, id, 'RUNNING', { msg: 'OK' });
      throw new Error('no');
    }).catch(() => undefined);
    expect((await under.job(id)).state).toBe('IDLE');
    expect(await eventsOf(under.pool, id)).toHaveLength(1);
  });
});
