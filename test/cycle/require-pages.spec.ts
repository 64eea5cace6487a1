import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobType } from '../../src/job/job-row.js';
import { type Cycle, openCycle } from '../support/cycle.js';

/** Jobs on a crawl that nobody has written to: a slip in its id is an error, and no empty success. */

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

const jobs: JobType[] = ['UPDATEDB', 'DEDUP', 'HOSTDB', 'SITEMAP', 'LINKRANK', 'SCOREUPDATE'];

describe.each(jobs)('%s', (type) => {
  it('of a crawl that nobody has written to fails and names it', async () => {
    const { state, msg } = await cycle.run(type, {}, { crawlId: `slip-${type}` });
    expect(state).toBe('FAILED');
    expect(msg).toContain(`no job has ever written to a crawl "slip-${type}"`);
    // Nor does the job that failed make it one.
    expect((await cycle.run(type, {}, { crawlId: `slip-${type}` })).state).toBe('FAILED');
  });

  it('of a crawl whose seeds were all refused finds nothing', async () => {
    await cycle.inject(['ftp://a.test/'], {}, { crawlId: `refused-${type}` });
    expect((await cycle.run(type, {}, { crawlId: `refused-${type}` })).state).toBe('FINISHED');
  });
});

it('SITEMAP with hosts of its own begins a crawl', async () => {
  const conf = { 'sitemap.url.default.sitemap.xml': 'false' };
  const { state } = await cycle.run('SITEMAP', { hosts: ['http://127.0.0.1:9'] }, { crawlId: 'begun', conf });
  expect(state).toBe('FINISHED');
});
