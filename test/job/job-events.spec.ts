import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql, transaction } from '../../src/db/sql.js';
import { EVENT_CHANNEL, eventsOf, eventsOfCrawl, eventsOfFamily, logEvent } from '../../src/job/job-event.store.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';

let under: JobsUnderTest;
beforeAll(async () => (under = await openJobs()));
afterAll(() => under?.close());

const ids = (events: { id: string }[]): number[] => events.map(({ id }) => Number(id));
const ascending = (numbers: number[]): boolean => numbers.every((n, at) => at === 0 || n > numbers[at - 1]!);

describe('the event log of a job', () => {
  it('is written at the end of a transaction, and not at all after a rollback', async () => {
    const { id, crawl } = await under.create({ crawlId: 'last' });
    await transaction(under.pool, async (tx) => {
      await logEvent(tx, id, 'warning', { n: 1 });
      await logEvent(tx, id, 'warning', { n: 2 });
      expect(await eventsOf(tx, id)).toHaveLength(1);
      // The entries above hold no lock yet: another writer is not blocked.
      await logEvent(under.pool, id, 'warning', { n: 0 });
    });
    const undone = transaction(under.pool, async (tx) => {
      await logEvent(tx, id, 'warning', { n: 3 });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await transaction(under.pool, (tx) => logEvent(tx, id, 'warning', { n: 4 }));
    const events = await eventsOf(under.pool, id);
    expect(events.slice(1).map(({ data }) => data)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 4 }]);
    expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).toSorted((a, b) => +a - +b));
    expect(await eventsOfCrawl(under.pool, crawl)).toEqual(events);
  });

  it('ignores an entry of an unknown job', async () => {
    await logEvent(under.pool, 'none', 'warning', {});
    expect(await eventsOf(under.pool, 'none')).toEqual([]);
  });

  it('of a job with children contains theirs too, but none of other jobs of the crawl', async () => {
    const other = await under.create({ crawlId: 'family' });
    const parent = await under.create({ crawlId: 'family' });
    const child = await under.create({ crawlId: 'family' });
    await under.db.query('update job set parent = $1, round = 1 where id = $2', [parent.id, child.id]);
    for (const { id } of [child, other, parent, child]) await logEvent(under.pool, id, 'warning', { id });
    const family = await eventsOfFamily(under.pool, parent);
    expect(family.map(({ job }) => job)).toEqual([parent.id, child.id, child.id, parent.id, child.id]);
    expect(await eventsOfFamily(under.pool, parent, family[2]!.id)).toEqual(family.slice(3));
    expect(await eventsOfFamily(under.pool, parent, '0', { limit: 2 })).toEqual(family.slice(0, 2));
    expect(await eventsOfCrawl(under.pool, parent.crawl)).toHaveLength(7);
  });

  it('of a job with children starts with their oldest when its own first ones were purged', async () => {
    const other = await under.create({ crawlId: 'forgotten' });
    const parent = await under.create({ crawlId: 'forgotten' });
    const child = await under.create({ crawlId: 'forgotten' });
    await under.db.query('update job set parent = $1, round = 1 where id = $2', [parent.id, child.id]);
    for (const { id } of [other, child, parent, child]) await logEvent(under.pool, id, 'warning', {});
    const whole = await eventsOfFamily(under.pool, parent);
    await under.db.query('delete from job_event where id = $1', [whole[0]!.id]);
    expect(await eventsOfFamily(under.pool, parent)).toEqual(whole.slice(1));
    expect(await eventsOfFamily(under.pool, parent, whole[2]!.id)).toEqual(whole.slice(3));
    await under.db.query('delete from job_event where job = $1', [parent.id]);
    const ofChild = whole.filter(({ job }) => job === child.id);
    expect(await eventsOfFamily(under.pool, parent)).toEqual(ofChild);
    expect(await eventsOfFamily(under.pool, parent, ofChild[0]!.id)).toEqual(ofChild.slice(1));
  });

  it('notifies the number of the crawl once per commit with entries', async () => {
    const { id, crawl } = await under.create({ crawlId: 'told' });
    const listener = new pg.Client({ connectionString: under.db.url });
    await listener.connect();
    const payloads: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => payloads.push(payload));
    await listener.query(`listen ${EVENT_CHANNEL}`);
    await transaction(under.pool, async (tx) => {
      for (let n = 0; n < 5; n++) await logEvent(tx, id, 'progress', { n });
    });
    await logEvent(under.pool, id, 'progress', {});
    while (payloads.length < 2) await listener.query('select 1');
    await listener.end();
    expect(payloads).toEqual([String(crawl), String(crawl)]);
  });
});

describe('a reader that resumes after the last event id', () => {
  const WRITERS = 6;
  const EACH = 40;

  /** A random delay between the assignment of an id and its commit: without the lock ids would appear out of order. */
  beforeAll(async () => {
    await under.db.query(`create function linger() returns trigger language plpgsql as
      $$ begin perform pg_sleep(random() * 0.004); return null; end $$`);
    await under.db.query(`create constraint trigger linger after insert on job_event deferrable initially deferred
      for each row execute function linger()`);
  });

  /** Writers that keep their transactions open for different times, with locks on rows of other tables. */
  async function writeAll(jobs: { id: string }[], pool: pg.Pool): Promise<void> {
    const writer = async (w: number) => {
      for (let n = 0; n < EACH; n++) {
        const job = jobs[(w + n) % jobs.length]!;
        await transaction(pool, async (tx) => {
          await logEvent(tx, job.id, 'progress', { w, n });
          await tx.query(sql`update job set msg = ${`${w}/${n}`} where id = ${jobs[(w * 7 + n) % jobs.length]!.id}`);
          if ((w + n) % 5 === 0) await tx.query(sql`select pg_sleep(0.003)`);
          if (n % 3 === 0) await logEvent(tx, jobs[n % jobs.length]!.id, 'warning', { w, n });
        });
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, w) => writer(w)));
  }

  it('misses no event and sees ascending ids under concurrent writers', async () => {
    const pool = under.db.openPool({ max: WRITERS + 1 });
    const jobs = [];
    for (const crawlId of ['r1', 'r1', 'r2', 'r2']) jobs.push(await under.create({ crawlId }));
    const crawl = jobs[0]!.crawl;
    const seen: number[] = [];
    let writing = true;
    const reading = (async () => {
      for (let more = true; more;) {
        more = writing;
        seen.push(...ids(await eventsOfCrawl(pool, crawl, String(seen.at(-1) ?? 0))));
        await sleep(0);
      }
    })();
    await writeAll(jobs, pool);
    writing = false;
    await reading;
    const all = ids(await eventsOfCrawl(under.pool, crawl, '0', { limit: 10_000 }));
    expect(all.length).toBeGreaterThan(100);
    expect(ascending(seen)).toBe(true);
    expect(seen).toEqual(all);
  });

  it('gets ids in commit order: a writer waits for an earlier one of the same crawl', async () => {
    const { id, crawl } = await under.create({ crawlId: 'wait' });
    const first = await under.db.pool.connect();
    await first.query('begin');
    await logEvent(first, id, 'warning', { n: 1 });
    let second = false;
    const later = logEvent(under.pool, id, 'warning', { n: 2 }).then(() => (second = true));
    const another = await under.create({ crawlId: 'free' });
    await logEvent(under.pool, another.id, 'warning', {});
    expect(second).toBe(false);
    await first.query('commit');
    first.release();
    await later;
    const events = await eventsOfCrawl(under.pool, crawl);
    expect(events.slice(1).map(({ data }) => data.n)).toEqual([1, 2]);
  });
});
