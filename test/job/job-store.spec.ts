import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { eventsOf } from '../../src/job/job-event.store.js';
import { JobStore } from '../../src/job/job.store.js';
import { LeaseLost } from '../../src/job/claim.js';
import { CONF_HASH, under, useJobs } from './jobs-under-test.js';

useJobs();

describe('JobStore.create', () => {
  it('stores the job, its first task and event, and sends the message', async () => {
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

  it('numbers the jobs of all crawls in ascending order', async () => {
    const numbers = [];
    for (const crawlId of ['a', 'b', 'a']) numbers.push(Number((await under.create({ crawlId })).number));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(3);
  });

  it('creates a crawl once for concurrent jobs', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => under.create({ crawlId: 'fresh' })));
    expect(new Set(made.map(({ crawl }) => crawl)).size).toBe(1);
    expect(new Set(made.map(({ id }) => id)).size).toBe(8);
  });

  it('stores nothing when the message cannot be sent', async () => {
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

  it('refuses an unknown configuration snapshot', async () => {
    const made = under.jobs.create({ type: 'FETCH', crawlId: '', confId: 'c', confHash: 'nowhere', args: {} });
    await expect(made).rejects.toThrow('foreign key');
  });
});

describe('JobStore.list and waitUntilClaimed', () => {
  it('list returns the newest first, filtered by crawl and state, up to a limit', async () => {
    const [one, two] = [await under.create({ crawlId: 'listed' }), await under.create({ crawlId: 'listed' })];
    await under.jobs.requestStop(one.id);
    const ids = async (filter: Parameters<JobStore['list']>[0]) => (await under.jobs.list(filter)).map(({ id }) => id);
    expect(await ids({ crawlId: 'listed' })).toEqual([two.id, one.id]);
    expect(await ids({ crawlId: 'listed', state: 'KILLED' })).toEqual([one.id]);
    expect(await ids({ limit: 1 })).toEqual([two.id]);
    expect((await under.jobs.listOpen()).map(({ id }) => id)).toContain(two.id);
    expect((await under.jobs.listOpen()).map(({ id }) => id)).not.toContain(one.id);
  });

  it('waitUntilClaimed returns the job: IDLE after the timeout, RUNNING once claimed', async () => {
    const { id } = await under.create();
    expect(await under.jobs.waitUntilClaimed(id, 50)).toMatchObject({ state: 'IDLE' });
    const waiting = under.jobs.waitUntilClaimed(id, 10_000);
    await under.claimNext();
    expect(await waiting).toMatchObject({ state: 'RUNNING' });
    expect(await under.jobs.waitUntilClaimed('none-c-FETCH-1', 10_000)).toBeUndefined();
  });
});

describe('the end of a job', () => {
  const finish = (claim: Parameters<typeof under.tasks.finish>[0], reason = 'done', extra?: Record<string, unknown>) =>
    under.tasks.finish(claim, { reason, ...(extra && { extra }) });

  it('follows the end of its last task, with the sum of the counters and the extra results', async () => {
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
    expect(await under.jobs.counters(id)).toEqual((await under.job(id)).result!.counters);
  });

  it('waits for tasks that no worker has claimed yet', async () => {
    const { id, claims } = await under.running(1);
    await transaction(under.pool, (tx) => under.tasks.split(tx, id, 2));
    await finish(claims[0]!);
    expect(await under.job(id)).toMatchObject({ state: 'RUNNING', endedAt: null, result: null });
    expect((await under.tasksOf(id)).map(({ state }) => state)).toEqual(['DONE', 'WAITING']);
    await finish((await under.claimNext())!);
    expect((await under.job(id)).state).toBe('FINISHED');
  });

  it('adds the final counters of a task once', async () => {
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
  ])('with task reasons %j has reason %s and result %s', async (reasons, reason, result) => {
    const { id, claims } = await under.running(reasons.length);
    for (const [i, claim] of claims.entries()) await finish(claim, reasons[i]);
    expect((await under.job(id)).result).toMatchObject({ reason, result });
  });

  it('happens once when the last two tasks end at the same time', async () => {
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

  it('is FAILED with message and counters when one task fails, whatever the others do', async () => {
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

  it('has a failure message of at most 2,000 characters', async () => {
    const { id, claims } = await under.running(1);
    await under.tasks.fail(claims[0]!, `ERROR: ${'x'.repeat(100_000)}`);
    expect((await under.job(id)).msg).toHaveLength(2_000);
  });

  it('makes later changes of its message have no effect', async () => {
    const { id, claims } = await under.running(1);
    await under.jobs.setMessage(id, 'OK: waits');
    expect((await under.job(id)).msg).toBe('OK: waits');
    await under.tasks.finish(claims[0]!, { reason: 'done' });
    await under.jobs.setMessage(id, 'late');
    expect((await under.job(id)).msg).toBe('OK');
  });
});
