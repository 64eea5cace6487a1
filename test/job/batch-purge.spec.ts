import { beforeEach, describe, expect, it } from 'vitest';
import { recordBatches } from '../../src/webpage/batch.store.js';
import { transaction } from '../../src/db/sql.js';
import { addPages, newCrawl } from '../api/seeded-pages.js';
import { CONF_HASH, under, useJobs } from './jobs-under-test.js';

/** Old batches without pages are deleted with the jobs that made them. */

useJobs();

const DAY_MS = 86_400_000;
const purge = () => under.jobs.purge({ jobDays: 30, eventDays: 30 });

let crawl: number;
let crawls = 0;
beforeEach(async () => {
  crawl = await newCrawl(under.db, `k${++crawls}`);
});

/** Records batches as of so many days ago. */
const record = (days: number, ...ids: string[]) =>
  transaction(under.pool, (tx) =>
    recordBatches(
      tx,
      crawl,
      ids.map((id) => ({ id, pages: 1, partitions: 1 })),
      new Date(Date.now() - days * DAY_MS),
    ),
  );

const left = async (): Promise<string[]> =>
  (await under.db.query<{ id: string }>('select id from batch where crawl = $1 order by segment', [crawl])).map(
    ({ id }) => id,
  );

const addJob = (id: string, more: { type: string; state: string; args?: object; result?: object; ageDays: number }) =>
  under.db.query(
    `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, result, created_at, started_at, ended_at)
     select $1, nextval('job_number'), $2, 'k', 'c', $3, $4, $5, $6, $7, at, case when $6 <> 'IDLE' then at end, case when $6 = 'FINISHED' then at end
       from (select now() - make_interval(days => $8) as at) as a`,
    [
      id,
      crawl,
      CONF_HASH,
      more.type,
      JSON.stringify(more.args ?? {}),
      more.state,
      JSON.stringify(more.result ?? {}),
      more.ageDays,
    ],
  );

describe('the purge of batches', () => {
  it('deletes old ones without pages, and keeps those that pages are in or were visited in', async () => {
    await record(40, 'empty', 'open', 'closed', 'unparsed', 'newest');
    await record(20, 'young');
    await under.db.query(`update crawl set newest_batch = 'newest' where id = $1`, [crawl]);
    await addPages(under.db, crawl, [
      { url: 'http://a.test/', row: { generate_mark: 'open', batch_id: 'open' } },
      { url: 'http://b.test/', row: { update_mark: 'closed', batch_id: 'closed' } },
      { url: 'http://c.test/', row: { update_mark: null, batch_id: 'unparsed' } },
    ]);
    await purge();
    expect(await left()).toEqual(['open', 'closed', 'unparsed', 'newest', 'young']);
  });

  it('keeps those that a job has made which still exists, and that an open one names', async () => {
    const segments = await record(40, 'made', 'madetoo', 'named', 'x', 'segment', 'xy');
    await addJob('j1', {
      type: 'GENERATE',
      state: 'FINISHED',
      result: { 'generate.batch.id': 'made', 'generate.batch.ids': ['made', 'madetoo'] },
      ageDays: 1,
    });
    await addJob('j2', { type: 'UPDATEDB', state: 'RUNNING', args: { batch: 'named' }, ageDays: 40 });
    await addJob('j3', { type: 'MERGESEGS', state: 'IDLE', args: { segment: ['xy', segments[4]] }, ageDays: 40 });
    await purge();
    expect(await left()).toEqual(['made', 'madetoo', 'named', 'segment', 'xy']);
    await under.db.query(
      `update job set state = 'FINISHED', started_at = created_at, ended_at = created_at where state <> 'FINISHED'`,
    );
    await under.db.query(`update job set ended_at = now() - interval '40 days' where id = 'j1'`);
    await purge();
    expect(await left()).toEqual([]);
  });

  it('reads more batches than one statement does', async () => {
    await record(40, ...Array.from({ length: 1_200 }, (_, n) => `b${n}`));
    await addPages(under.db, crawl, [{ url: 'http://a.test/', row: { update_mark: 'b700', batch_id: 'b700' } }]);
    await purge();
    expect(await left()).toEqual(['b700']);
  });

  it('keeps one that GENERATE is making again', async () => {
    await record(40, 'again');
    const generating = await under.pool.connect();
    try {
      await generating.query('begin');
      await recordBatches(generating, crawl, [{ id: 'again', pages: 1, partitions: 1 }], new Date());
      await generating.query(
        `insert into webpage (crawl, host, key, source_kind, fetch_time, fetch_interval, score, cash, generate_mark, batch_id)
         values ($1, 'test.a', 'test.a:http/', 'seed', now(), 1, 1, 1, 'again', 'again')`,
        [crawl],
      );
      const purged = purge();
      await expect
        .poll(async () => {
          const [waiting] = await under.db.query<{ n: number }>(
            `select count(*)::int as n from pg_stat_activity
              where wait_event_type = 'Lock' and datname = current_database() and query like '%for no key update%'`,
          );
          return waiting!.n;
        })
        .toBe(1);
      await generating.query('commit');
      await purged;
    } finally {
      generating.release();
    }
    expect(await left()).toEqual(['again']);
  });
});
