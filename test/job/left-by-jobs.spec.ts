import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfStore } from '../../src/conf/conf.store.js';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import { SeedListGone, purgeSeedLists } from '../../src/job/left-by-jobs.store.js';
import type { JobType } from '../../src/core/job/job-types.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';
import { IN_THIS_DATABASE } from '../support/locks.js';

/** Seed lists of inline seeds and configuration snapshots are deleted with the last job that refers to them. */

let under: JobsUnderTest;
let seeds: SeedListStore;
let confs: ConfStore;

beforeAll(async () => {
  under = await openJobs();
  seeds = new SeedListStore(under.dataSource);
  confs = new ConfStore(await under.db.dataSource());
});
afterAll(() => under.close());

let lists = 0;
/** A list of two lines, stored two days ago. */
async function list(inline = true): Promise<string> {
  const name = `list-${++lists}`;
  const lines = ['http://a.test/', 'http://b.test/'].map((line) => ({ id: null, line }));
  await seeds.save({ name, id: null, inline }, lines);
  await under.db.query(`update seed_list set created_at = now() - interval '2 days' where name = $1`, [name]);
  return name;
}
/** A snapshot that was last used two days ago. */
async function snapshot(agent: string): Promise<string> {
  const { hash } = (await confs.snapshot('default', { 'http.agent.name': agent }))!;
  await under.db.query(`update conf_snapshot set used_at = now() - interval '2 days' where hash = $1`, [hash]);
  return hash;
}
const create = (named: string, { type = 'INJECT', arg = 'seedName', confHash = 'test' } = {}) =>
  under.jobs.create({
    type: type as JobType,
    crawlId: 'k',
    confId: 'c',
    confHash,
    args: { [arg]: named },
    lists: [named],
    ...(type === 'CRAWL' && { plan: { seedName: named } }),
  });
const forget = async (...ids: string[]) => {
  await under.db.query(
    `update job set state = 'KILLED', ended_at = now() - interval '31 days' where id = any ($1::text[]) or parent = any ($1::text[])`,
    [ids],
  );
  await under.jobs.purge({ jobDays: 30, eventDays: 30 });
};
const linesOf = async (name: string) => (await seeds.find(name))?.total;
const isKept = async (hash: string) =>
  (await under.db.query('select from conf_snapshot where hash = $1', [hash])).length === 1;

/** A pool that runs `then` after a matching statement. */
function followedBy(statement: RegExp, then: () => Promise<unknown>): Pool {
  const watched = <T extends object>(one: T, methods: Partial<T>): T =>
    new Proxy(one, {
      get(target, name) {
        const value = (methods as Record<PropertyKey, unknown>)[name] ?? Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const connect = async () => {
    const client = await under.pool.connect();
    const query = async (text: { text: string }) => {
      const answer = await client.query(text);
      if (statement.test(text.text)) await then();
      return answer;
    };
    return watched(client, { query } as object);
  };
  return watched(under.pool, { connect } as object);
}

describe('the seed list of inline seeds', () => {
  it('is deleted with its lines after the last job that names it', async () => {
    const name = await list();
    const [first, second] = [await create(name), await create(name)];
    await forget(first.id);
    expect(await linesOf(name)).toBe(2);
    await forget(second.id);
    expect(await linesOf(name)).toBeUndefined();
    expect(await under.db.query('select from seed_url where list = $1', [name])).toEqual([]);
  });

  it('is deleted after a day if its job was never created', async () => {
    const name = await list();
    await seeds.save({ name: 'just-stored', id: null, inline: true }, []);
    await forget();
    expect([await linesOf(name), await linesOf('just-stored')]).toEqual([undefined, 0]);
  });

  it.each([
    ['INJECT', 'seedName'],
    ['GENERATE', 'freegen'],
    ['SITEMAP', 'sitemapUrlDir'],
    ['SITEMAP', 'hostDir'],
    ['CRAWL', 'seedName'],
  ])('is kept for a %s that names it as %s', async (type, arg) => {
    const name = await list();
    const { id } = await create(name, { type, arg });
    await forget();
    expect(await linesOf(name)).toBe(2);
    await forget(id);
    expect(await linesOf(name)).toBeUndefined();
  });

  it('is kept when a client stores a list under its name, as are all lists of clients', async () => {
    const [name, own] = [await list(), await list(false)];
    await seeds.save({ name, id: 7 }, []);
    await under.db.query(`update seed_list set created_at = now() - interval '2 days'`);
    const jobs = [await create(name), await create(own)];
    await forget(...jobs.map(({ id }) => id));
    expect([await linesOf(name), await linesOf(own)]).toEqual([0, 2]);
  });
});

describe('a configuration snapshot', () => {
  it('is deleted after the last job that uses it', async () => {
    const hash = await snapshot('bot');
    const jobs = [await create(await list(), { confHash: hash }), await create(await list(), { confHash: hash })];
    await forget(jobs[0]!.id);
    expect(await isKept(hash)).toBe(true);
    await forget(jobs[1]!.id);
    expect(await isKept(hash)).toBe(false);
  });

  it('is kept for a job that is about to be created', async () => {
    const hash = await snapshot('late');
    expect((await confs.snapshot('default', { 'http.agent.name': 'late' }))!.hash).toBe(hash);
    await forget();
    const job = await create(await list(), { confHash: hash });
    await forget();
    expect(job.confHash).toBe(hash);
    expect(await isKept(hash)).toBe(true);
  });
});

describe('a job that is created during a purge', () => {
  it('keeps the list and snapshot that it refers to before it is committed', async () => {
    const [name, hash] = [await list(), await snapshot('held')];
    const blocker = await under.pool.connect();
    await blocker.query('begin; lock table job_task in share mode');
    const creating = create(name, { confHash: hash });
    const blocked = `select from pg_locks where relation = 'job_task'::regclass and not granted and ${IN_THIS_DATABASE}`;
    await expect.poll(async () => (await under.db.query(blocked)).length).toBe(1);
    await under.jobs.purge({ jobDays: 30, eventDays: 30 });
    await blocker.query('commit');
    blocker.release();
    const job = await creating;
    await under.jobs.purge({ jobDays: 30, eventDays: 30 });
    expect([job.args['seedName'], await linesOf(name), await isKept(hash)]).toEqual([name, 2, true]);
  });

  it('keeps its list when it is committed while the purge selects lists', async () => {
    const name = await list();
    const { jobs } = under;
    const args = { seedName: name };
    // The lock of `lists` would block it, so a job without that lock represents one committed during the statement.
    const commits = () => jobs.create({ type: 'INJECT', crawlId: 'k', confId: 'c', confHash: 'test', args });
    await purgeSeedLists(followedBy(/skip locked/, commits), 20);
    expect(await linesOf(name)).toBe(2);
  });

  it('is refused when its list was just deleted', async () => {
    const name = await list();
    await forget();
    await expect(create(name)).rejects.toThrow(SeedListGone);
  });

  it('either is refused or keeps its list when both run at once', async () => {
    const outcomes = { made: 0, refused: 0 };
    // Adjusts the head start until both outcomes occur on this machine.
    let headStart = 0;
    for (let n = 0; n < 60 || Math.min(outcomes.made, outcomes.refused) === 0; n++) {
      const name = await list();
      const pause = new Promise((wake) => setTimeout(wake, headStart));
      const [made] = await Promise.allSettled([
        pause.then(() => create(name)),
        under.jobs.purge({ jobDays: 30, eventDays: 30 }),
      ]);
      if (made.status === 'fulfilled') expect(await linesOf(name)).toBe(2);
      else expect(made.reason).toBeInstanceOf(SeedListGone);
      headStart = Math.max(0, headStart + (made.status === 'fulfilled' ? 1 : -1));
      outcomes[made.status === 'fulfilled' ? 'made' : 'refused']++;
    }
  });
});
