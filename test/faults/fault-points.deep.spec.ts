import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ordersIn } from '../../src/db/fault-orders.js';
import { FAULT_POINTS, type FaultPoint, armFaultPoints, faultPoint } from '../../src/db/fault-point.js';
import { rows, sql, transaction } from '../../src/db/sql.js';
import { type StepType, jobTypes } from '../../src/job/job-row.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { FaultOrders } from '../support/fault-orders.js';
import { type Site, page, startSite } from '../support/site.js';
import { WebhooksUnderTest } from '../job/webhooks-under-test.js';

/** The places in the code at which tests make things go wrong: their names, that each is passed, and what orders do. */

afterEach(() => armFaultPoints(undefined));

/** Steps that neither a round nor the end of a crawl has. */
const OF_NO_ROUND = jobTypes.filter(
  (type): type is StepType =>
    !['INJECT', 'GENERATE', 'FETCH', 'PARSE', 'UPDATEDB', 'CRAWL', 'DROPCRAWL'].includes(type),
);

/** What a step must be told, for a page that it works on. */
const ARGS: Partial<Record<StepType, Record<string, unknown>>> = {
  INVERTLINKS: { batch: '-all' },
  MERGESEGS: { segment_dir: 'segments' },
};

describe('names', () => {
  const written = globSync('src/**/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bfaultPoint\('([^']+)'/g)].map(([, name]) => name!),
  );

  it('are each of one place', () => {
    expect(new Set(FAULT_POINTS).size).toBe(FAULT_POINTS.length);
    expect(written.filter((name, i) => written.indexOf(name) !== i)).toEqual([]);
  });

  it('stand in the list, and those in the list stand in the code', () => {
    const ofWrites = FAULT_POINTS.filter((name) => /\.(held|beforeCommit|afterCommit)$/.test(name));
    expect(written.sort()).toEqual(FAULT_POINTS.filter((name) => !ofWrites.includes(name)).sort());
  });
});

describe('every place is passed', () => {
  const passed = new Set<FaultPoint>();
  let cycle: Cycle;
  let site: Site;

  beforeAll(async () => {
    cycle = await openCycle();
    cycle.indexDir = join(tmpdir(), 'orbweaver-test-index');
    site = await startSite({ '/': page('<a href="/a">a</a>'), '/a': page('a') });
  });
  afterAll(async () => {
    await site.close();
    await cycle.close();
  });
  beforeEach(() => armFaultPoints((point) => void passed.add(point)));

  it('by the steps of a crawl', async () => {
    await cycle.inject([`${site.url}/`]);
    await cycle.round();
    const conf = { 'plugin.includes.also': 'indexer-jsonl' };
    for (const type of OF_NO_ROUND) {
      // CLEAN is to find a document that is to go.
      if (type === 'CLEAN') await cycle.db.query(`update webpage set status = 3, index_mark = 'x'`);
      expect(await cycle.run(type, ARGS[type] ?? {}, { conf })).toMatchObject({
        state: 'FINISHED',
      });
    }
  });

  it('by what deletes a crawl', async () => {
    await cycle.inject([`${site.url}/`], {}, { crawlId: 'gone' });
    expect(await cycle.run('DROPCRAWL', {}, { crawlId: 'gone' })).toMatchObject({ state: 'FINISHED' });
  });

  it('by a task that says what it has left, is given back, lost, failed, and by a CRAWL', async () => {
    expect(await cycle.run('INJECT')).toMatchObject({ state: 'FAILED' });
    const { confHash } = (await cycle.jobs.list({ limit: 1 }))[0]!;
    await cycle.jobs.create({ type: 'GENERATE', crawlId: 'k', confId: 'c', confHash, args: {} });
    const claim = (await cycle.tasks.claim((await cycle.queue.take())!, 'w'))!;
    await cycle.tasks.reportBacklog(claim, 'none', 'x');
    await cycle.tasks.release(claim);
    await cycle.tasks.rescue();
    const plan = { seedName: null, rounds: 1, topN: null, limit: null, adddays: 0, threads: null };
    await cycle.jobs.create({ type: 'CRAWL', crawlId: 'x', confId: 'c', confHash, args: {}, plan });
  });

  it('by what is sent to webhooks', async () => {
    const hooks = await WebhooksUnderTest.open();
    const { id } = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
    await hooks.closeSenders();
    await hooks.close();
  });

  it('all of them', () => {
    expect(FAULT_POINTS.filter((point) => !passed.has(point))).toEqual([]);
  });
});

describe('orders', () => {
  let orders: FaultOrders;

  beforeEach(async () => {
    orders = await FaultOrders.open();
    armFaultPoints(ordersIn(orders.env.FAULT_POINTS));
  });
  afterEach(() => orders.remove());

  it('nothing happens without one, and passages are counted', async () => {
    await faultPoint('fetch.held');
    await faultPoint('fetch.held');
    expect([orders.hits().get('fetch.held'), orders.carriedOut]).toEqual([2, []]);
  });

  it('one is carried out once, after as many passages as it says', async () => {
    orders.order('fetch.held', 'throw', 2);
    await faultPoint('fetch.held');
    await faultPoint('parse.held');
    await faultPoint('fetch.held');
    expect(() => faultPoint('fetch.held')).toThrow('ordered fault at fetch.held');
    await faultPoint('fetch.held');
    expect(orders.carriedOut).toEqual(['fetch.held throw']);
  });

  it('one that is taken back is not carried out', async () => {
    orders.order('fetch.held', 'throw');
    orders.clear();
    await faultPoint('fetch.held');
    expect(orders.stands('fetch.held')).toBe(false);
  });

  it('a misspelt one is refused', () => {
    orders.order('fetch.held', 'explode' as 'exit');
    expect(() => faultPoint('fetch.held')).toThrow('"explode" is no order for fetch.held');
  });

  it('`drop` cuts the connection: the transaction is rolled back, and its pool goes on', async () => {
    const cycle = await openCycle();
    await cycle.pool.query('create table t (n int)');
    orders.order('fetch.held', 'drop');
    const write = transaction(cycle.pool, async (tx) => {
      await tx.query('insert into t values (1)');
      await faultPoint('fetch.held', tx);
    });
    await expect(write).rejects.toThrow('Connection terminated unexpectedly');
    expect(await rows(cycle.pool, sql`select * from t`)).toEqual([]);
    await cycle.close();
  });
});
