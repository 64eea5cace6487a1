import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import { GenerateJob } from '../../src/cycle/generate/generate.job.js';
import { InjectJob } from '../../src/cycle/inject/inject.job.js';
import { SitemapJob } from '../../src/cycle/sitemap/sitemap.job.js';
import type { Run, Step } from '../../src/cycle/step.js';
import { type Cycle, loopback, openCycle } from '../support/cycle.js';
import { runKilled } from './interrupted.js';
import { pages } from './table.js';

/** A seed list is deleted or replaced while a job reads it, or before: no job succeeds without having read its whole list. */

let cycle: Cycle;
let seeds: SeedListStore;
beforeAll(async () => {
  cycle = await openCycle();
  seeds = new SeedListStore(cycle.dataSource);
});
afterAll(() => cycle.close());

const conf = { ...loopback, 'fetcher.server.delay': 0, 'http.filter.ipaddress.exclude': [] };
const save = (name: string, many: number, host = 'a.test') =>
  seeds.save(
    { name, id: null },
    Array.from({ length: many }, (_, n) => ({ id: null, line: `http://${host}/${n}` })),
  );
const newCrawl = async (name: string): Promise<number> =>
  (await cycle.db.query<{ id: number }>('insert into crawl (name) values ($1) returning id', [name]))[0]!.id;

/** The step, with a change made as soon as it has read the first lines of a seed list. */
function changedMeanwhile<A extends object>(step: Step<A>, change: () => Promise<unknown>): Step<A> {
  let isChanged = false;
  const watched = <T extends object>(db: T): T =>
    new Proxy(db, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
        return async (statement: { text: string }) => {
          const answer = await (target as unknown as Pool).query(statement);
          if (!isChanged && statement.text.includes('seed_url')) {
            isChanged = true;
            await change();
          }
          return answer;
        };
      },
    });
  return {
    run: (run) => {
      const write: Run<A>['write'] = (work, progress) => run.write((tx, count) => work(watched(tx), count), progress);
      return step.run({ ...run, pool: watched(run.pool), write });
    },
  };
}

/**
 * Each with the number of writes until its first lines are stored; GENERATE reads and marks in one transaction and starts again
 * after a kill.
 */
const readers: [string, Step<object>, (list: string) => object, number | null][] = [
  ['INJECT', new InjectJob(), (seedName) => ({ seedName }), 1],
  ['GENERATE', new GenerateJob(), (freegen) => ({ freegen }), null],
  ['SITEMAP of sitemaps', new SitemapJob(), (sitemapUrlDir) => ({ sitemapUrlDir }), 3],
  ['SITEMAP of hosts', new SitemapJob(), (hostDir) => ({ hostDir }), 4],
];

// Lists of more lines than a job reads at once, so that it reads several chunks.
describe.each(readers)('%s from a seed list', (name, step, argsOf, writesOfFirst) => {
  const list = name.replaceAll(' ', '-');
  const run = async (crawlId: string, change: () => Promise<unknown>, writes: number) =>
    runKilled(changedMeanwhile(step, change), {
      pool: cycle.pool,
      crawl: await newCrawl(crawlId),
      args: argsOf(list),
      writes,
      conf,
    });

  it('fails when the list is deleted while it is read', async () => {
    await save(list, 5_001);
    const ended = run(`${list}-deleted`, () => seeds.remove(list), 1_000);
    await expect(ended).rejects.toThrow(`seed list "${list}" was deleted while it was read`);
  });

  if (writesOfFirst !== null)
    it.each([
      ['deleted', () => seeds.remove(list)],
      ['replaced', () => save(list, 6_000, 'b.test')],
    ])('fails when the list was %s before it continues after a kill', async (what, change) => {
      await save(list, 5_001);
      const ended = run(`${list}-${what}-killed`, change, writesOfFirst);
      await expect(ended).rejects.toThrow(`seed list "${list}" was ${what} while it was read`);
    });

  it('fails when the list is replaced while it is read', async () => {
    await save(list, 5_001);
    const ended = run(`${list}-replaced`, () => save(list, 6_000, 'b.test'), 1_000);
    await expect(ended).rejects.toThrow(`seed list "${list}" was replaced while it was read`);
  });

  it('fails with the name of a list that does not exist', async () => {
    await seeds.remove(list);
    const ended = run(`${list}-missing`, () => Promise.resolve(), 1_000);
    await expect(ended).rejects.toThrow(`there is no seed list "${list}"`);
  });
});

it('GENERATE marks no page when its list is deleted while it is read', async () => {
  await save('lost', 5_001);
  const crawl = await newCrawl('lost');
  const step = changedMeanwhile(new GenerateJob(), () => seeds.remove('lost'));
  const ended = runKilled(step, { pool: cycle.pool, crawl, args: { freegen: 'lost' }, writes: 1_000 });
  await expect(ended).rejects.toThrow('was deleted');
  expect(await pages(cycle, 'lost')).toEqual([]);
});

it('INJECT reads the newest version of its list and does not need it after the last line', async () => {
  await save('s1', 3);
  await save('s1', 5);
  const crawl = await newCrawl('begins');
  const step = changedMeanwhile(new InjectJob(), () => seeds.remove('s1'));
  await runKilled(step, { pool: cycle.pool, crawl, args: { seedName: 's1' }, writes: 1_000 });
  expect(await pages(cycle, 'begins')).toHaveLength(5);
});

it('INJECT of a list of several chunks continues at the next chunk after each kill', async () => {
  await save('long', 10_001);
  const crawl = await newCrawl('goes-on');
  const step = new InjectJob();
  const { attempts, counted } = await runKilled(step, {
    pool: cycle.pool,
    crawl,
    args: { seedName: 'long' },
    writes: 1,
  });
  expect([attempts, counted['urls_injected']]).toEqual([3, 10_001]);
});
