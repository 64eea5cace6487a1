import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { eventsOf, logEvent } from '../../src/job/job-events.js';
import { JobStore } from '../../src/job/job.store.js';
import { LeaseLost } from '../../src/job/task.store.js';
import { CONF_HASH, type JobsUnderTest, openJobs } from './jobs-under-test.js';

let under: JobsUnderTest;
let jobs: JobStore;
beforeAll(async () => {
  under = await openJobs();
  jobs = under.jobs;
});
beforeEach(() => under.announced());
afterAll(() => under.close());

describe('creating a job', () => {
  it('writes the job, its first task, its first event and the message', async () => {
    const job = await under.create({ type: 'PARSE' });
    expect(job).toMatchObject({
      state: 'IDLE',
      msg: 'idle',
      type: 'PARSE',
      result: null,
      startedAt: null,
      endedAt: null,
    });
    expect(await under.job(job.id)).toEqual(job);
    const [task, ...more] = await under.tasksOf(job.id);
    expect(more).toEqual([]);
    expect(task).toMatchObject({ part: 0, state: 'WAITING', token: 0, writes: 0, lost: 0, owner: null });
    expect(await under.announced()).toEqual([{ job: job.id, task: task!.id }]);
    expect((await eventsOf(under.pool, job.id)).map(({ data }) => data)).toEqual([{ state: 'IDLE' }]);
  });

  it.each([
    ['', 'c', /^c-FETCH-\d+$/],
    ['k', 'c', /^k-c-FETCH-\d+$/],
    ['k-1', 'default', /^k-1-default-FETCH-\d+$/],
    ['%', '$1', /^%-\$1-FETCH-\d+$/],
  ])(
    'gives crawl "%s" and configuration "%s" an id [<crawlId>-]<confId>-<TYPE>-<number>',
    async (crawlId, confId, id) => {
      const job = await under.create({ crawlId, confId });
      expect(job.id).toMatch(id);
      expect(job.id.endsWith(`-${job.number}`)).toBe(true);
    },
  );

  it('numbers jobs of all crawls upwards', async () => {
    const numbers = [];
    for (const crawlId of ['a', 'b', 'a']) numbers.push(Number((await under.create({ crawlId })).number));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(3);
  });

  it('makes a crawl once, however many jobs ask for it at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => under.create({ crawlId: 'fresh' })));
    expect(new Set(made.map(({ crawl }) => crawl)).size).toBe(1);
    expect(new Set(made.map(({ id }) => id)).size).toBe(8);
  });

  it('is one transaction: when the message cannot be sent there is no job', async () => {
    const broken = Object.assign(Object.create(under.queue), { send: () => Promise.reject(new Error('no queue')) });
    const before = await under.db.query('select count(*) from job');
    const made = new JobStore(under.pool, broken).create({
      type: 'FETCH',
      crawlId: 'unmade',
      confId: 'c',
      confHash: CONF_HASH,
      args: {},
    });
    await expect(made).rejects.toThrow('no queue');
    expect(await under.db.query('select count(*) from job')).toEqual(before);
    expect(await under.db.query(`select * from crawl where name = 'unmade'`)).toEqual([]);
    expect(await under.announced()).toEqual([]);
  });

  it('refuses a configuration snapshot that is not stored', async () => {
    const made = jobs.create({ type: 'FETCH', crawlId: '', confId: 'c', confHash: 'nowhere', args: {} });
    await expect(made).rejects.toThrow('foreign key');
  });
});

describe('lists', () => {
  it('answer the newest first, by crawl, by state, up to a limit', async () => {
    const [one, two] = [await under.create({ crawlId: 'listed' }), await under.create({ crawlId: 'listed' })];
    await jobs.requestStop(one.id);
    const ids = async (filter: Parameters<JobStore['list']>[0]) => (await jobs.list(filter)).map(({ id }) => id);
    expect(await ids({ crawlId: 'listed' })).toEqual([two.id, one.id]);
    expect(await ids({ crawlId: 'listed', state: 'KILLED' })).toEqual([one.id]);
    expect(await ids({ limit: 1 })).toEqual([two.id]);
    expect((await jobs.listOpen()).map(({ id }) => id)).toContain(two.id);
    expect((await jobs.listOpen()).map(({ id }) => id)).not.toContain(one.id);
  });

  it('a job that nobody takes is waited for in vain, one that is taken is answered as it is', async () => {
    const { id } = await under.create();
    expect(await jobs.waitUntilClaimed(id, 50)).toMatchObject({ state: 'IDLE' });
    const waiting = jobs.waitUntilClaimed(id, 10_000);
    await under.claimNext();
    expect(await waiting).toMatchObject({ state: 'RUNNING' });
    expect(await jobs.waitUntilClaimed('none-c-FETCH-1', 10_000)).toBeUndefined();
  });
});

describe('the end of a job', () => {
  const finish = (claim: Parameters<typeof under.tasks.finish>[0], reason = 'done', extra?: Record<string, unknown>) =>
    under.tasks.finish(claim, { reason, ...(extra && { extra }) });

  it('comes with its last task, with the sum of the counters and what the tasks add', async () => {
    const { id, claims } = await under.running(3);
    await under.write(claims[0]!, { FetcherStatus: { SUCCESS: 2, GONE: 1 } });
    await under.write(claims[1]!, { FetcherStatus: { SUCCESS: 5 }, ParserStatus: { success: 5 } });
    await finish(claims[1]!);
    await finish(claims[2]!, 'done', { more: 7 });
    expect(await under.job(id)).toMatchObject({ state: 'RUNNING', endedAt: null, result: null });
    await finish(claims[0]!);
    expect(await under.job(id)).toMatchObject({
      state: 'FINISHED',
      msg: 'OK',
      result: {
        result: '0',
        reason: 'done',
        more: 7,
        counters: { FetcherStatus: { SUCCESS: 7, GONE: 1 }, ParserStatus: { success: 5 } },
      },
    });
    expect(await jobs.counters(id)).toEqual((await under.job(id)).result!.counters);
  });

  it('adds what a task counts with its end, once', async () => {
    const { id, claims } = await under.running(1);
    await under.write(claims[0]!, { FetcherStatus: { SUCCESS: 2 } });
    const end = () =>
      under.tasks.finish(
        claims[0]!,
        { reason: 'stopped' },
        { FetcherStatus: { pending: 5 }, Fetcher: { selected: 7 } },
      );
    await end();
    await expect(end()).rejects.toThrow(LeaseLost);
    const counters = { FetcherStatus: { SUCCESS: 2, pending: 5 }, Fetcher: { selected: 7 } };
    expect((await under.job(id)).result).toEqual({ result: '0', reason: 'stopped', counters });
    expect((await under.tasksOf(id))[0]!.outcome).toEqual({ reason: 'stopped' });
  });

  it.each([
    [['done', 'done'], 'done', '0'],
    [['done', 'time-limit'], 'time-limit', '0'],
    [['throughput-limit', 'time-limit'], 'throughput-limit', '0'],
    [['no-urls'], 'no-urls', '1'],
  ])('of tasks that ended %j has the reason %s and the result %s', async (reasons, reason, result) => {
    const { id, claims } = await under.running(reasons.length);
    for (const [i, claim] of claims.entries()) await finish(claim, reasons[i]);
    expect((await under.job(id)).result).toMatchObject({ reason, result });
  });

  it('comes once when the two last tasks end at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, claims } = await under.running(2);
      await Promise.all(claims.map((claim) => finish(claim)));
      expect((await under.job(id)).state).toBe('FINISHED');
      const ends = await under.db.query(
        `select data from job_event where job = $1 and kind = 'state' and data ->> 'state' = 'FINISHED'`,
        [id],
      );
      expect(ends).toHaveLength(1);
    }
  });

  it('is failure when one task fails, with its reason and what was counted; the others cannot change that', async () => {
    const { id, claims } = await under.running(2);
    await under.write(claims[0]!, { FetcherStatus: { SUCCESS: 3 } });
    await under.tasks.fail(claims[0]!, 'ERROR: the disk is full');
    expect(await under.job(id)).toMatchObject({
      state: 'FAILED',
      msg: 'ERROR: the disk is full',
      result: { result: '-1', reason: 'failed', counters: { FetcherStatus: { SUCCESS: 3 } } },
    });
    await finish(claims[1]!);
    expect(await under.job(id)).toMatchObject({ state: 'FAILED', msg: 'ERROR: the disk is full' });
  });

  it('a message of failure is cut', async () => {
    const { id, claims } = await under.running(1);
    await under.tasks.fail(claims[0]!, `ERROR: ${'x'.repeat(100_000)}`);
    expect((await under.job(id)).msg).toHaveLength(2_000);
  });
});

describe('stop and abort', () => {
  const request = (how: 'stop' | 'abort', id: string) =>
    how === 'stop' ? jobs.requestStop(id) : jobs.requestAbort(id);

  it.each(['stop', 'abort'] as const)('%s of a queued job kills it, and its task is not to be had', async (how) => {
    const { id } = await under.create();
    expect(await request(how, id)).toBe(true);
    expect(await under.job(id)).toMatchObject({
      state: 'KILLED',
      startedAt: null,
      result: { reason: 'stopped', counters: {} },
    });
    expect(await under.claimNext()).toBeUndefined();
    expect((await under.tasksOf(id)).map(({ state }) => state)).toEqual(['DONE']);
  });

  it('stop of a running job ends FINISHED with reason stopped, and keeps its counters', async () => {
    const { id, claims } = await under.running(2);
    await under.write(claims[0]!, { FetcherStatus: { SUCCESS: 4 } });
    expect(await jobs.requestStop(id)).toBe(true);
    expect(await under.job(id)).toMatchObject({ state: 'STOPPING', endedAt: null });
    expect(await jobs.requestStop(id)).toBe(false);
    await under.tasks.finish(claims[0]!, { reason: 'stopped' });
    await under.tasks.finish(claims[1]!, { reason: 'done' });
    expect(await under.job(id)).toMatchObject({
      state: 'FINISHED',
      msg: 'OK: stopped on request',
      result: { result: '0', reason: 'stopped', counters: { FetcherStatus: { SUCCESS: 4 } } },
    });
  });

  it('stop of a running job whose tasks all came to their end is a stop all the same', async () => {
    const { id, claims } = await under.running(2);
    await jobs.requestStop(id);
    for (const claim of claims) await under.tasks.finish(claim, { reason: 'done' });
    expect(await under.job(id)).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'stopped' } });
  });

  it.each([false, true])('abort of a running job ends KILLED (stopped before: %s)', async (stopped) => {
    const { id, claims } = await under.running(1);
    if (stopped) await jobs.requestStop(id);
    expect(await jobs.requestAbort(id)).toBe(true);
    expect(await under.job(id)).toMatchObject({ state: 'KILLING', endedAt: null });
    expect(await jobs.requestAbort(id)).toBe(false);
    expect(await jobs.requestStop(id)).toBe(false);
    await under.tasks.finish(claims[0]!, { reason: 'stopped' });
    expect(await under.job(id)).toMatchObject({ state: 'KILLED', msg: 'killed', result: { reason: 'stopped' } });
  });

  it('a task that fails while its job is killed does not keep the job alive', async () => {
    const { id, claims } = await under.running(1);
    await jobs.requestAbort(id);
    await under.tasks.fail(claims[0]!, 'ERROR: cut off');
    expect((await under.job(id)).state).toBe('KILLED');
  });

  it('abort ends a job at once when all its tasks wait', async () => {
    const { id, claims } = await under.running(1);
    await under.tasks.release(claims[0]!);
    expect(await jobs.requestAbort(id)).toBe(true);
    expect((await under.job(id)).state).toBe('KILLED');
    expect(await under.claimNext()).toBeUndefined();
  });

  it('abort gives tasks that nobody has begun to workers while others run, so that each says what it leaves', async () => {
    await under.create({ crawlId: 'another' });
    const { id, claims } = await under.running(1);
    await transaction(under.db.pool, (tx) => under.tasks.split(tx, id, 2));
    expect(await jobs.requestAbort(id)).toBe(true);
    await under.tasks.rescue();
    const claim = (await under.claimNext())!;
    expect(claim).toMatchObject({ job: id, part: 1 });
    await under.tasks.finish(claims[0]!, { reason: 'stopped' });
    expect((await under.job(id)).state).toBe('KILLING');
    await under.tasks.finish(claim, { reason: 'stopped', extra: { left: 7 } });
    expect(await under.job(id)).toMatchObject({ state: 'KILLED', result: { reason: 'stopped', left: 7 } });
  });

  it('a task that nobody has begun does not keep a job alive that is killed, once none of its tasks runs', async () => {
    const { id, claims } = await under.running(1);
    await transaction(under.db.pool, (tx) => under.tasks.split(tx, id, 2));
    await jobs.requestAbort(id);
    await under.tasks.finish(claims[0]!, { reason: 'stopped' });
    await under.tasks.rescue();
    expect((await under.job(id)).state).toBe('KILLED');
  });

  it('stop gives the tasks that wait to workers before all others, so that each says what it leaves', async () => {
    await under.create({ crawlId: 'another' });
    const { id, claims } = await under.running(1);
    await under.tasks.release(claims[0]!);
    expect(await jobs.requestStop(id)).toBe(true);
    expect((await under.job(id)).state).toBe('STOPPING');
    const claim = (await under.claimNext())!;
    expect(claim.job).toBe(id);
    await under.tasks.finish(claim, { reason: 'stopped', extra: { left: 7 } });
    expect(await under.job(id)).toMatchObject({ state: 'FINISHED', result: { reason: 'stopped', left: 7 } });
  });

  it.each(['stop', 'abort'] as const)('%s of a job that has ended answers false and changes nothing', async (how) => {
    const { id, claims } = await under.running(1);
    await under.tasks.finish(claims[0]!, { reason: 'done' });
    const before = await under.job(id);
    expect(await request(how, id)).toBe(false);
    expect(await under.job(id)).toEqual(before);
    expect(await request(how, 'none-c-FETCH-1')).toBe(false);
  });

  it('a stop and a claim at the same moment: the job ends either way', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await under.create();
      const [message] = await under.announced();
      const [stopped, claim] = await Promise.all([jobs.requestStop(id), under.tasks.claim(message!, 'w')]);
      expect(stopped).toBe(true);
      if (claim) await under.tasks.finish(claim, { reason: 'stopped' });
      expect((await under.job(id)).state).toBe(claim ? 'FINISHED' : 'KILLED');
    }
  });
});

describe('the lock of a crawl and step', () => {
  it('belongs to one job; another is told which, until that one has ended', async () => {
    const [first, second] = [await under.running(1), await under.running(1)];
    expect(await jobs.lock(first.id, '1/UPDATEDB')).toBeNull();
    expect(await jobs.lock(first.id, '1/UPDATEDB')).toBeNull();
    expect(await jobs.lock(second.id, '1/UPDATEDB')).toBe(first.id);
    expect(await jobs.lock(second.id, '2/UPDATEDB')).toBeNull();
    await jobs.requestStop(first.id);
    expect(await jobs.lock(second.id, '1/UPDATEDB')).toBe(first.id);
    await under.tasks.finish(first.claims[0]!, { reason: 'stopped' });
    expect(await jobs.lock(second.id, '1/UPDATEDB')).toBeNull();
  });

  it('stays with a job that has failed until its other tasks have ended', async () => {
    const [failed, next] = [await under.running(2), await under.running(1)];
    expect(await under.jobs.lock(failed.id, 'left:UPDATEDB')).toBeNull();
    await under.tasks.fail(failed.claims[0]!, 'broken');
    expect(await under.jobs.lock(next.id, 'left:UPDATEDB')).toBe(failed.id);
    await under.tasks.release(failed.claims[1]!);
    expect(await under.jobs.lock(next.id, 'left:UPDATEDB')).toBeNull();
  });

  it('goes to one of many that ask at once', async () => {
    const asking = [];
    for (let i = 0; i < 6; i++) asking.push((await under.running(1)).id);
    const answers = await Promise.all(asking.map((id) => jobs.lock(id, '9/GENERATE')));
    expect(answers.filter((holder) => holder === null)).toHaveLength(1);
    const winner = asking[answers.indexOf(null)];
    expect(new Set(answers.filter((holder) => holder !== null))).toEqual(new Set([winner]));
  });

  it('what a job says is heard while it runs, and not after', async () => {
    const { id, claims } = await under.running(1);
    await jobs.setMessage(id, 'OK: waits');
    expect((await under.job(id)).msg).toBe('OK: waits');
    await under.tasks.finish(claims[0]!, { reason: 'done' });
    await jobs.setMessage(id, 'late');
    expect((await under.job(id)).msg).toBe('OK');
  });
});

describe('history', () => {
  it('forgets jobs that ended long ago with their tasks and events, and keeps open ones however old', async () => {
    const [old, young, open] = [await under.running(1), await under.running(1), await under.running(1)];
    await under.tasks.finish(old.claims[0]!, { reason: 'done' });
    await under.tasks.finish(young.claims[0]!, { reason: 'done' });
    await under.db.query(`update job set ended_at = now() - interval '31 days' where id = $1`, [old.id]);
    await under.db.query(`update job set created_at = now() - interval '90 days' where id = $1`, [open.id]);
    await under.db.query(`update job_event set time = now() - interval '31 days' where job = $1`, [old.id]);
    expect(await jobs.purge({ jobDays: 30, eventDays: 30 })).toBe(1);
    expect(await jobs.find(old.id)).toBeUndefined();
    expect(await under.tasksOf(old.id)).toEqual([]);
    expect(await eventsOf(under.pool, old.id)).toEqual([]);
    expect(await jobs.find(young.id)).toBeDefined();
    expect(await jobs.find(open.id)).toBeDefined();
    expect(await eventsOf(under.pool, open.id)).not.toEqual([]);
  });

  it('forgets old events of jobs that have ended or are forgotten, never those of a job that is open', async () => {
    const [open, gone, ended] = [await under.running(1), await under.running(1), await under.running(1)];
    await under.tasks.finish(gone.claims[0]!, { reason: 'done' });
    // More than retention reads at once stand before the others.
    await under.db.query(
      `insert into job_event (job, crawl, kind, data)
       select $1, 1, 'progress', '{}' from generate_series(1, 6000)`,
      [open.id],
    );
    await under.tasks.finish(ended.claims[0]!, { reason: 'done' });
    await under.db.query('delete from job where id = $1', [gone.id]);
    await under.db.query(`update job_event set time = now() - interval '31 days'`);
    await logEvent(under.pool, ended.id, 'warning', { n: 1 });
    const before = await eventsOf(under.pool, open.id, '0', 10_000);
    await jobs.purge({ jobDays: 90, eventDays: 30 });
    expect(await eventsOf(under.pool, open.id, '0', 10_000)).toEqual(before);
    expect(await eventsOf(under.pool, gone.id)).toEqual([]);
    expect((await eventsOf(under.pool, ended.id)).map(({ data }) => data)).toEqual([{ n: 1 }]);
  });

  it('events are read in order, from where the reader was', async () => {
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
    expect(await eventsOf(under.pool, id, '0', 2)).toEqual(all.slice(0, 2));
  });

  it('an event whose transaction is rolled back was never there', async () => {
    const { id } = await under.create();
    await transaction(under.pool, async (tx) => {
      await jobs.move(tx, id, 'RUNNING', { msg: 'OK' });
      throw new Error('no');
    }).catch(() => undefined);
    expect((await under.job(id)).state).toBe('IDLE');
    expect(await eventsOf(under.pool, id)).toHaveLength(1);
  });
});
