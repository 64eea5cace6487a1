import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobType } from '../../src/core/job/job-types.js';
import { type Cycle, openCycle } from '../support/cycle.js';

/** Jobs on a crawl without rows: a mistyped id is an error instead of an empty success. */

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

const jobs: JobType[] = ['UPDATEDB', 'DEDUP', 'HOSTDB', 'SITEMAP', 'LINKRANK', 'SCOREUPDATE'];

describe.each(jobs)('%s', (type) => {
  it('fails for a crawl to which no job has written, each time, and names it', async () => {
    const { state, msg } = await cycle.run(type, {}, { crawlId: `slip-${type}` });
    expect(state).toBe('FAILED');
    expect(msg).toContain(`no job has ever written to a crawl "slip-${type}"`);
    // The failed job does not create it either.
    expect((await cycle.run(type, {}, { crawlId: `slip-${type}` })).state).toBe('FAILED');
  });

  it('finishes for a crawl whose seeds were all rejected', async () => {
    await cycle.inject(['ftp://a.test/'], {}, { crawlId: `refused-${type}` });
    expect((await cycle.run(type, {}, { crawlId: `refused-${type}` })).state).toBe('FINISHED');
  });
});

it('SITEMAP with the argument hosts starts a new crawl', async () => {
  const conf = { 'sitemap.url.default.sitemap.xml': 'false' };
  const { state } = await cycle.run('SITEMAP', { hosts: ['http://127.0.0.1:9'] }, { crawlId: 'begun', conf });
  expect(state).toBe('FINISHED');
});
