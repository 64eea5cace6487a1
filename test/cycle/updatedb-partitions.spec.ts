import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defaults, parseConf } from '../../src/core/conf/properties.js';
import { lockPages } from '../../src/cycle/batch-pages.sql.js';
import { writeVisitRows } from '../../src/cycle/fetch/fetch.sql.js';
import type { Run } from '../../src/cycle/step.js';
import { UpdateDbJob } from '../../src/cycle/updatedb/updatedb.job.js';
import { type Sql, transaction } from '../../src/db/sql.js';
import { releaseAbandoned } from '../../src/cycle/generate/generate.sql.js';
import { recordBatches } from '../../src/webpage/batch.store.js';
import { StatusDeltas, addStatusDeltas } from '../../src/webpage/host-counts.store.js';
import { visited } from '../plans/records.js';
import { runMeeting } from './meeting.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/**
 * UPDATEDB in several partitions at once: contributions between hosts are pending for a while and added once. Then concurrent with
 * other steps.
 */

let db: TestDatabase;
let crawls = 0;

beforeAll(async () => {
  db = await testDatabase();
});
afterEach(async () => expect(await db.query('select id from pending_contribution')).toEqual([]));
afterAll(() => db.drop());

class Killed extends Error {}

const HOSTS = 12;
/** Pages in the batch. */
const PAGES = 240;
const BATCH = '1-1';

/** Row key number i; those above the pages of the batch are unknown to the crawl. */
const KEY = (i: string) => `'test.h' || lpad((${i} % ${HOSTS})::text, 2, '0') || ':http/p' || ${i}`;

/** A batch of parsed pages with five links each, within hosts and between them, to each other and to new pages. */
async function parsedBatch(): Promise<number> {
  const crawl = ++crawls;
  await db.query(`insert into crawl (id, name) overriding system value values (${crawl}, 'c${crawl}')`);
  await db.query(
    `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, generate_mark, batch_id, fetch_mark,
                          parse_mark, partition_hash, spend, spend_distance, source_kind)
     select ${crawl}, split_part(key, ':', 1), key, 2, now(), 2592000, 1 + i / 100.0, 0, '${BATCH}', '${BATCH}', '${BATCH}', '${BATCH}',
            i % ${HOSTS}, 1 + i / 100.0, i % 3, 'link'
       from (select i, ${KEY('i')} as key from generate_series(1, ${PAGES}) i) made`,
  );
  await db.query(
    `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
     select ${crawl}, split_part(key, ':', 1), key, links, array_fill('anchor'::text, array[cardinality(links)])
       from (select ${KEY('i')} as key,
                    (select array_agg(distinct ${KEY('t')}) from (select (i * i * k + 7 * k) % ${2 * PAGES} + 1 as t from generate_series(1, 5) k) x) as links
               from generate_series(1, ${PAGES}) i) made`,
  );
  return crawl;
}

/** A run of one partition; with `writes` it is killed after that many transactions. */
function runOf(
  crawl: number,
  { part, parts, writes = Infinity }: { part: number; parts: number; writes?: number },
): Run {
  let left = writes;
  return {
    job: { id: 'j', type: 'UPDATEDB', crawl, crawlId: 'k', startedAt: new Date() },
    task: `task ${part}`,
    part,
    args: {},
    conf: defaults,
    pool: db.pool,
    workers: parts,
    ownPorts: [],
    progress: null,
    stopping: new AbortController().signal,
    aborted: new AbortController().signal,
    plan: () => Promise.resolve({ parts, batches: [BATCH], selected: PAGES }),
    lock: () => Promise.resolve(true),
    report: () => Promise.resolve(),
    warn: () => Promise.resolve(),
    write: (work: (tx: Sql, count: () => void) => Promise<unknown>) => {
      if (left-- <= 0) throw new Killed();
      return transaction(db.pool, (tx) => work(tx, () => undefined));
    },
  } as unknown as Run;
}

/** The pool; it stops a task whose query has found no more pages. */
function stoppedAtTheEnd(stop: AbortController): Run['pool'] {
  return new Proxy(db.pool, {
    get(pool, name) {
      if (name !== 'query') return Reflect.get(pool, name) as unknown;
      return async (statement: { text: string; values: unknown[] }) => {
        const found = await pool.query(statement);
        if (found.rows.length === 0) stop.abort();
        return found;
      };
    },
  });
}

const update = (run: Run) => new UpdateDbJob().run(run as Run<object>);

/** A partition that is killed after every transaction and resumed each time. */
async function updateKilled(crawl: number, part: number, parts: number): Promise<void> {
  for (let writes = 1; ; writes++) {
    try {
      return void (await update(runOf(crawl, { part, parts, writes })));
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}

const table = async (crawl: number) =>
  (
    await db.query<{ key: string; score: number; cash: number; status: number; distance: number; mark: string | null }>(
      `select key, score, cash, status, distance, generate_mark as mark from webpage where crawl = ${crawl} order by key`,
    )
  ).map(({ score, cash, ...page }) => ({ ...page, score: score.toFixed(6), cash: cash.toFixed(6) }));
const countsOf = (crawl: number) =>
  db.query(`select host, n_unfetched, n_fetched from host where crawl = ${crawl} order by host`);
const inlinksOf = (crawl: number) =>
  db.query(
    `select key, source, round(score::numeric, 6) as score from inlink where crawl = ${crawl} order by key, source`,
  );

/** A crawl that one partition has updated. */
let alone: number;
beforeAll(async () => {
  alone = await parsedBatch();
  await update(runOf(alone, { part: 0, parts: 1 }));
});

describe('UPDATEDB in partitions', () => {
  it.each<[string, (crawl: number) => Promise<unknown>]>([
    [
      'one after another',
      async (crawl) => {
        for (const part of [2, 0, 1]) await update(runOf(crawl, { part, parts: 3 }));
      },
    ],
    ['at once', (crawl) => Promise.all([0, 1, 2, 3].map((part) => update(runOf(crawl, { part, parts: 4 }))))],
    [
      'at once, killed after each transaction',
      (crawl) => Promise.all([0, 1].map((part) => updateKilled(crawl, part, 2))),
    ],
  ])('%s gives the same table as one part', async (_, work) => {
    const crawl = await parsedBatch();
    await work(crawl);
    expect(await table(crawl)).toEqual(await table(alone));
    expect(await countsOf(crawl)).toEqual(await countsOf(alone));
    expect(await inlinksOf(crawl)).toEqual(await inlinksOf(alone));
  });

  it.each([true, false])(
    'keeps db.update.max.inlinks when parts add inlinks to the same page at once (ignoring internal links: %s)',
    async (ignoring) => {
      const conf = { 'db.update.max.inlinks': 2, 'db.ignore.internal.links': ignoring };
      const [met, one] = [await parsedBatch(), await parsedBatch()];
      const runAs = (crawl: number, parts: number) =>
        runMeeting(() => new UpdateDbJob(), {
          pool: db.pool,
          crawl,
          args: {},
          conf,
          plan: { parts, batches: [BATCH], selected: PAGES },
        });
      await runAs(met, 3);
      await runAs(one, 1);
      const kept = await inlinksOf(one);
      expect(kept.length).toBeGreaterThan(HOSTS);
      expect(await inlinksOf(met)).toEqual(kept);
      expect(await table(met)).toEqual(await table(one));
    },
  );

  it('keeps the total cash and closes all pages of the batch', async () => {
    const [sum] = await db.query<{ cash: number; open: number }>(
      `select sum(cash) as cash, count(generate_mark)::int as open from webpage where crawl = ${alone}`,
    );
    const before = Array.from({ length: PAGES }, (_, i) => 1 + (i + 1) / 100).reduce((a, b) => a + b, 0);
    expect(sum!.cash).toBeCloseTo(before, 6);
    expect(sum!.open).toBe(0);
  });

  it('adds the pending contributions of a job that was killed', async () => {
    const crawl = await parsedBatch();
    await expect(update(runOf(crawl, { part: 0, parts: 2, writes: 1 }))).rejects.toThrow(Killed);
    expect(await db.query(`select distinct crawl from pending_contribution`)).toEqual([{ crawl }]);
    await update(runOf(crawl, { part: 0, parts: 1 }));
    expect(await table(crawl)).toEqual(await table(alone));
  });

  it('that is stopped before it has added all ends as stopped with pending contributions, and the next attempt adds them', async () => {
    const crawl = await parsedBatch();
    await update(runOf(crawl, { part: 0, parts: 2 }));
    const stop = new AbortController();
    const pool = stoppedAtTheEnd(stop);
    const run = { ...runOf(crawl, { part: 1, parts: 2 }), pool, stopping: stop.signal };
    expect(await update(run)).toMatchObject({ reason: 'stopped' });
    expect(await db.query('select id from pending_contribution')).not.toEqual([]);
    expect(await update(runOf(crawl, { part: 1, parts: 2 }))).toMatchObject({ reason: 'done' });
  });

  it('adds pending contributions with a scoring that reads pages, too', async () => {
    const crawl = await parsedBatch();
    await expect(update(runOf(crawl, { part: 0, parts: 2, writes: 1 }))).rejects.toThrow(Killed);
    const run = runOf(crawl, { part: 0, parts: 1 });
    const { conf } = parseConf({ 'plugin.includes': `${defaults['plugin.includes']}|scoring-depth` });
    await update({ ...run, conf });
    expect(await table(crawl)).toEqual(await table(alone));
  });
});

/** Writes of FETCH for a page, if it is still in the batch. */
async function fetchPage(tx: Sql, crawl: number, key: string): Promise<void> {
  const [page] = await lockPages(tx, crawl, [{ host: key.split(':')[0]!, key, mark: BATCH }]);
  if (page === undefined) return;
  await writeVisitRows(tx, crawl, [visited({ ...page, mark: BATCH })]);
  const deltas = new StatusDeltas();
  deltas.move(page.host, page.status, 2);
  await addStatusDeltas(tx, crawl, deltas);
}

describe('UPDATEDB concurrent with other steps', () => {
  const PAGE = 'test.h01:http/p1';

  /** A batch of which one page was not fetched. */
  async function withUnfetched(): Promise<number> {
    const crawl = await parsedBatch();
    await db.query(
      `update webpage set status = 1, fetch_mark = null, parse_mark = null where crawl = ${crawl} and key = '${PAGE}'`,
    );
    await recordBatches(
      db.pool,
      crawl,
      [{ id: BATCH, pages: PAGES, partitions: 1 }],
      new Date(Date.now() - 86_400_000),
    );
    await db.query(
      `insert into host (crawl, host, domain, n_unfetched, n_fetched)
       select crawl, host, host, count(*) filter (where status = 1), count(*) filter (where status = 2)
         from webpage where crawl = ${crawl} group by crawl, host`,
    );
    return crawl;
  }

  async function expectTrueCounts(crawl: number): Promise<void> {
    expect(await countsOf(crawl)).toEqual(
      await db.query(
        `select host, count(*) filter (where status = 1) as n_unfetched, count(*) filter (where status = 2) as n_fetched
           from webpage where crawl = ${crawl} group by host order by host`,
      ),
    );
  }

  /** UPDATEDB with another transaction that starts when the pages are read; returns whether that one had to wait. */
  async function updateBeside(crawl: number, other: (tx: Sql) => Promise<unknown>): Promise<boolean> {
    let beside: Promise<unknown> | undefined;
    let waits = false;
    const run = runOf(crawl, { part: 0, parts: 1 });
    run.write = (work) =>
      transaction(db.pool, async (tx) => {
        const query = tx.query.bind(tx) as Sql['query'];
        const watched: Sql['query'] = async (statement) => {
          const result = await query(statement);
          if (statement.text.includes('"parseFailed"')) {
            beside = transaction(db.pool, other);
            // Long enough for it to end, if nothing blocks it.
            waits = await Promise.race([beside.then(() => false), setTimeout(500, true)]);
          }
          return result;
        };
        return work({ query: watched }, () => undefined);
      });
    await update(run);
    expect(beside).toBeDefined();
    await beside;
    return waits;
  }

  it.each<[string, (tx: Sql, crawl: number) => Promise<unknown>]>([
    ['a visit', (tx, crawl) => fetchPage(tx, crawl, PAGE)],
    [
      'a GENERATE that releases abandoned pages',
      (tx, crawl) => releaseAbandoned(tx, crawl, { madeBefore: new Date(), now: new Date(), limit: 10 }),
    ],
  ])('makes %s wait, which then finds the page outside of its batch', async (_, other) => {
    const [crawl, undisturbed] = [await withUnfetched(), await withUnfetched()];
    await update(runOf(undisturbed, { part: 0, parts: 1 }));
    expect(await updateBeside(crawl, (tx) => other(tx, crawl))).toBe(true);
    expect(await table(crawl)).toEqual(await table(undisturbed));
    await expectTrueCounts(crawl);
  });

  it('does not make a payment to its pages wait', async () => {
    const crawl = await withUnfetched();
    const pay = (tx: Sql) =>
      tx.query({ text: `update webpage set cash = cash + 1 where crawl = ${crawl} and key = '${PAGE}'`, values: [] });
    expect(await updateBeside(crawl, pay)).toBe(false);
  });

  it('waits for a visit that is being written and processes it with its links', async () => {
    const crawl = await withUnfetched();
    const before = await db.query<{ keys: string[] }>(
      `select outlink_keys as keys from page_content where crawl = ${crawl} and key = '${PAGE}'`,
    );
    await db.query(`update page_content set outlink_keys = '{}' where crawl = ${crawl} and key = '${PAGE}'`);
    let updating: Promise<void> | undefined;
    await transaction(db.pool, async (tx) => {
      const pages = [{ host: PAGE.split(':')[0]!, key: PAGE, mark: BATCH }];
      await lockPages(tx, crawl, pages);
      updating = update(runOf(crawl, { part: 0, parts: 1 })).then(() => undefined);
      await setTimeout(300);
      await tx.query(
        `update webpage set status = 2, fetch_mark = '${BATCH}', parse_mark = '${BATCH}' where crawl = ${crawl} and key = '${PAGE}'`,
      );
      await tx.query(`update page_content set outlink_keys = $1 where crawl = ${crawl} and key = '${PAGE}'`, [
        before[0]!.keys,
      ]);
      const deltas = new StatusDeltas();
      deltas.move(pages[0]!.host, 1, 2);
      await addStatusDeltas(tx, crawl, deltas);
    });
    await updating;
    expect(await table(crawl)).toEqual(await table(alone));
    await expectTrueCounts(crawl);
  });
});
