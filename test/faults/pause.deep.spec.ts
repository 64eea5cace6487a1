import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';
import { Crawler, type Hosts, type Job, pause, startHosts, until } from './crawl.js';

/** A crawl is paused during a FETCH: it sends no requests until it is resumed, not even after a restart. */

const HOSTS = 10;
const PAGES = 40;
const ALL = HOSTS * PAGES;
const FETCHED = 'select count(*) as n from webpage where fetch_mark is not null';

describe('a crawl paused during FETCH', () => {
  let hosts: Hosts;
  let crawler: Crawler;
  let crawl: Job;

  beforeAll(async () => {
    hosts = await startHosts({ hosts: HOSTS, pages: PAGES, pauseMs: 40 });
    crawler = new Crawler(await testDatabase());
    await crawler.start();
    await crawler.configure();
  });
  afterAll(async () => {
    await crawler.close();
    await crawler.db.drop();
    await hosts.close();
  });

  const asked = () => [...hosts.requests().values()].reduce((sum, n) => sum + n, 0);
  const running = () => crawler.db.query(`select 1 from job_task where state = 'RUNNING'`);

  it('ends its tasks before all pages are fetched', async () => {
    crawl = await crawler.call<Job>('/v1/crawls', {
      crawlId: 'k',
      confId: 'c',
      seeds: hosts.seeds,
      rounds: 1,
      threads: 5,
    });
    await until(crawler.db, FETCHED, 30);
    expect(await crawler.call(`/v1/crawls/${crawl.id}/pause`, {})).toBe(true);
    while ((await running()).length > 0) await pause(20);
    expect(await crawler.job(crawl.id)).toMatchObject({ state: 'RUNNING', paused: true });
    expect(asked()).toBeLessThan(ALL);
  });

  it('sends no request, also after kill -9 and a new start', async () => {
    const before = asked();
    await crawler.kill();
    await crawler.start();
    await pause(1_500);
    expect(asked()).toBe(before);
    expect(await running()).toEqual([]);
  });

  it('fetches the remaining pages once after it is resumed', async () => {
    expect(await crawler.call(`/v1/crawls/${crawl.id}/resume`, {})).toBe(true);
    expect(await crawler.ended(crawl.id)).toMatchObject({ state: 'FINISHED', result: { reason: 'rounds' } });
    expect([...hosts.requests().values()].filter((n) => n !== 1)).toEqual([]);
    expect(hosts.requests().size).toBe(ALL);
  });
});
