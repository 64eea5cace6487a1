import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ordersIn } from '../../src/db/fault-orders.js';
import { FAULT_POINTS, type FaultPoint, armFaultPoints, faultPoint } from '../../src/db/fault-point.js';
import { rows, sql, transaction } from '../../src/db/sql.js';
import { type StepType, jobTypes } from '../../src/core/job/job-types.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { FaultOrders } from '../support/fault-orders.js';
import { type Site, page, startSite } from '../support/site.js';
import { WebhooksUnderTest } from '../job/webhooks-under-test.js';

/** Fault points: their names, that each is passed, and the effect of orders. */

afterEach(() => armFaultPoints(undefined));

/** Steps that neither a round nor the end of a crawl has. */
const OF_NO_ROUND = jobTypes.filter(
  (type): type is StepType =>
    !['INJECT', 'GENERATE', 'FETCH', 'PARSE', 'UPDATEDB', 'CRAWL', 'DROPCRAWL'].includes(type),
);

/** Arguments that a step requires. */
const ARGS: Partial<Record<StepType, Record<string, unknown>>> = {
  INVERTLINKS: { batch: '-all' },
  MERGESEGS: { segment_dir: 'segments' },
};

describe('names of fault points', () => {
  const written = globSync('src/**/*.ts').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bfaultPoint\('([^']+)'/g)].map(([, name]) => name!),
  );

  it('are used once in the code each', () => {
    expect(new Set(FAULT_POINTS).size).toBe(FAULT_POINTS.length);
    expect(written.filter((name, i) => written.indexOf(name) !== i)).toEqual([]);
  });

  it('are the same in the list and in the code', () => {
    const ofWrites = FAULT_POINTS.filter((name) => /\.(locked|beforeCommit|afterCommit)$/.test(name));
    expect(written.sort()).toEqual(FAULT_POINTS.filter((name) => !ofWrites.includes(name)).sort());
  });
});

describe('every fault point is passed', () => {
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

  it('in the steps of a crawl', async () => {
    await cycle.inject([`${site.url}/`]);
    await cycle.round();
    const conf = { 'plugin.includes.also': 'indexer-jsonl' };
    for (const type of OF_NO_ROUND) {
      // CLEAN needs a document to delete.
      if (type === 'CLEAN') await cycle.db.query(`update webpage set status = 3, index_mark = 'x'`);
      expect(await cycle.run(type, ARGS[type] ?? {}, { conf })).toMatchObject({
        state: 'FINISHED',
      });
    }
  });

  it('in DROPCRAWL', async () => {
    await cycle.inject([`${site.url}/`], {}, { crawlId: 'gone' });
    expect(await cycle.run('DROPCRAWL', {}, { crawlId: 'gone' })).toMatchObject({ state: 'FINISHED' });
  });

  it('in tasks that report a backlog, are released, lost or failed, and in a CRAWL', async () => {
    expect(await cycle.run('INJECT')).toMatchObject({ state: 'FAILED' });
    const { confHash } = (await cycle.jobs.list({ limit: 1 }))[0]!;
    await cycle.jobs.create({ type: 'GENERATE', crawlId: 'k', confId: 'c', confHash, args: {} });
    const claim = (await cycle.tasks.claim((await cycle.queue.take())!, 'w'))!;
    await cycle.tasks.reportBacklog(claim, 'none', { id: 'x' });
    await cycle.tasks.release(claim);
    await cycle.tasks.rescue();
    const plan = { seedName: null, rounds: 1, topN: null, limit: null, adddays: 0, threads: null };
    await cycle.jobs.create({ type: 'CRAWL', crawlId: 'x', confId: 'c', confHash, args: {}, plan });
  });

  it('in deliveries to webhooks', async () => {
    const hooks = await WebhooksUnderTest.open();
    const { id } = await hooks.hook();
    await hooks.warn((await hooks.jobs.create()).id, 1);
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
    await hooks.closeSenders();
    await hooks.close();
  });

  it('in these tests together', () => {
    expect(FAULT_POINTS.filter((point) => !passed.has(point))).toEqual([]);
  });
});

describe('an order for a fault point', () => {
  let orders: FaultOrders;

  beforeEach(async () => {
    orders = await FaultOrders.open();
    armFaultPoints(ordersIn(orders.env.FAULT_POINTS));
  });
  afterEach(() => orders.remove());

  it('is required for any effect; without one, passes are counted only', async () => {
    await faultPoint('fetch.locked');
    await faultPoint('fetch.locked');
    expect([orders.hits().get('fetch.locked'), orders.carriedOut]).toEqual([2, []]);
  });

  it('is carried out once, after the given number of passes', async () => {
    orders.order('fetch.locked', 'throw', 2);
    await faultPoint('fetch.locked');
    await faultPoint('parse.locked');
    await faultPoint('fetch.locked');
    expect(() => faultPoint('fetch.locked')).toThrow('ordered fault at fetch.locked');
    await faultPoint('fetch.locked');
    expect(orders.carriedOut).toEqual(['fetch.locked throw']);
  });

  it('is not carried out after it was cleared', async () => {
    orders.order('fetch.locked', 'throw');
    orders.clear();
    await faultPoint('fetch.locked');
    expect(orders.stands('fetch.locked')).toBe(false);
  });

  it('with an unknown action throws', () => {
    orders.order('fetch.locked', 'explode' as 'exit');
    expect(() => faultPoint('fetch.locked')).toThrow('"explode" is no order for fetch.locked');
  });

  it('`drop` cuts the connection: the transaction is rolled back, and the pool can be used', async () => {
    const cycle = await openCycle();
    await cycle.pool.query('create table t (n int)');
    orders.order('fetch.locked', 'drop');
    const write = transaction(cycle.pool, async (tx) => {
      await tx.query('insert into t values (1)');
      await faultPoint('fetch.locked', tx);
    });
    await expect(write).rejects.toThrow('Connection terminated unexpectedly');
    expect(await rows(cycle.pool, sql`select * from t`)).toEqual([]);
    await cycle.close();
  });
});
