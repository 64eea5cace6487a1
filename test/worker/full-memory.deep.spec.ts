import { afterAll, beforeAll, expect, it } from 'vitest';
import { Crawler, type Hosts, startHosts, until } from '../faults/crawl.js';
import { testDatabase } from '../support/database.js';

/** Workers with full memory run one task at a time, which may take hours. */

let hosts: Hosts;
let crawler: Crawler;
beforeAll(async () => {
  hosts = await startHosts({ hosts: 4, pages: 500, pauseMs: 200 });
  crawler = new Crawler(await testDatabase(), { WORKERS: '2', WORKER_MEMORY: '64' });
  await crawler.start();
  await crawler.configure();
});
afterAll(async () => {
  await crawler.close();
  await crawler.db.drop();
  await hosts.close();
});

it('two workers with full memory yield to another crawl, although only two tasks run', async () => {
  await crawler.finished('INJECT', { seed: hosts.seeds.join('\n') });
  await crawler.finished('GENERATE', { batch: 'b1' });
  const long = await crawler.create('FETCH', { batch: 'b1', threads: 4, numTasks: 2 });
  await until(crawler.db, `select count(*) as n from job_task where state = 'RUNNING'`, 2);
  const other = await crawler.create('INJECT', { seed: hosts.seeds[0] }, 'another');
  expect((await crawler.ended(other.id)).state).toBe('FINISHED');
  expect((await crawler.job(long.id)).state).toBe('RUNNING');
  await crawler.call(`/job/${long.id}/abort`);
  await crawler.ended(long.id);
});
