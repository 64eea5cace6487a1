import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { status } from '../support/site.js';
import { asked, index, sitemapsOf } from './sitemaps.js';
import { counter } from './table.js';

/** Sitemap indexes that list further indexes without end: requests and stored rows are bounded. */

let cycle: Cycle;
let { site, closeSites, run, rows } = {} as ReturnType<typeof sitemapsOf>;
beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, rows } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle?.close());

/** Every URL is an index of `width` new ones. */
const endless = (width: number) =>
  site((url) => ({
    '/robots.txt': status(404),
    '*': (req, res) => index(...Array.from({ length: width }, (_, i) => `${url}${req.url}/${i}`))(req, res),
  }));
const read = (one: Awaited<ReturnType<typeof site>>) => asked(one).filter((path) => path !== '/robots.txt');

describe('SITEMAP of indexes (sitemaps.org, "Using Sitemap index files") that list indexes without end', () => {
  it('reads three levels below the first', async () => {
    const one = await endless(3);
    const job = await run('deep', { sitemapUrls: [`${one.url}/i`] });
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0' } });
    expect(read(one)).toHaveLength(1 + 3 + 9 + 27);
    expect(Math.max(...read(one).map((path) => path.split('/').length))).toBe(5);
    expect(counter(job, 'Sitemap', 'too_deep_sitemaps')).toBe(27 * 3);
    expect(await rows('deep')).toHaveLength(1 + 3 + 9 + 27);
  });

  it.each([
    ['of a job', 'wide-job', 'sitemap.job.max'],
    ['of a registered domain', 'wide-domain', 'sitemap.domain.max'],
  ])('reads up to the limit %s in each job', async (_what, crawlId, property) => {
    const one = await endless(200);
    const args = { sitemapUrls: [`${one.url}/i`] };
    for (let jobs = 1; jobs <= 2; jobs++) {
      one.log.length = 0;
      const job = await run(crawlId, args, { [property]: '30' });
      expect(job.state).toBe('FINISHED');
      expect(read(one)).toHaveLength(30);
      expect(counter(job, 'Sitemap', 'too_many_sitemaps')).toBeGreaterThan(0);
      expect(await rows(crawlId)).toHaveLength(30);
    }
  });

  it('reads up to the limit of the job when the indexes are on new hosts', async () => {
    let hosts = 0;
    const one = await site((url) => ({
      '/robots.txt': status(404),
      '*': (req, res) => {
        const { port } = new URL(url);
        const locs = Array.from({ length: 50 }, () => `http://127.2.${++hosts >> 8}.${hosts & 255}:${port}/i`);
        return index(`${url}${req.url}/next`, ...locs)(req, res);
      },
    }));
    const job = await run('hosts', { sitemapUrls: [`${one.url}/i`] }, { 'sitemap.job.max': '30' });
    expect(job.state).toBe('FINISHED');
    expect(read(one)).toEqual(['/i', '/i/next']);
    expect(await rows('hosts')).toHaveLength(30);
  });
});
