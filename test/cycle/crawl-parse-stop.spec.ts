import { afterEach, expect, it } from 'vitest';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { WITHOUT_LIMITS } from '../core/job/plans.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';

/** A CRAWL whose PARSE is stopped, and the next run. */

useCrawler();
afterEach(() => armFaultPoints(undefined));

/** More than PARSE reads at once. */
const PAGES = 150;

it('leaves its batch open: the next run parses the rest, and follows the links of all pages', async () => {
  const paths = Array.from({ length: PAGES }, (_, n) => `/${n}`);
  const site = await crawler.site({
    ...Object.fromEntries(paths.map((path) => [path, page(`<title>${path}</title><a href="${path}-next">next</a>`)])),
    ...Object.fromEntries(paths.map((path) => [`${path}-next`, page('next')])),
  });
  const crawlId = 'stopped';
  const { confId, confHash } = await crawler.inject(
    crawlId,
    paths.map((path) => site.url + path),
  );
  const crawl = async (more: Partial<CrawlPlan>) => {
    const plan = { ...WITHOUT_LIMITS, seedName: null, parsesWhileFetching: false, ...more };
    const { id } = await cycle.jobs.create({ type: 'CRAWL', crawlId, confId, confHash, args: {}, plan });
    await cycle.run('READDB', {}, { crawlId });
    return (await cycle.jobs.find(id))!;
  };
  const pages = (condition: string) =>
    cycle.db.query<{ key: string; mark: string }>(
      `select key, generate_mark as mark from webpage where ${condition} and crawl = (select id from crawl where name = $1)`,
      [crawlId],
    );

  armFaultPoints(async (point) => {
    if (point !== 'parse.read') return;
    const [job] = await cycle.jobs.list({ crawlId, type: 'PARSE', limit: 1 });
    await cycle.jobs.requestStop(job!.id);
    cycle.running!.stop.abort();
  });
  expect(await crawl({})).toMatchObject({ state: 'FINISHED', result: { reason: 'stopped' } });
  armFaultPoints(undefined);
  const left = await pages('parse_major is null');
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(PAGES);

  expect(await crawl({ leftBatches: [left[0]!.mark], rounds: 1 })).toMatchObject({ state: 'FINISHED' });
  expect(await pages('parse_major is null')).toEqual([]);
  expect(await pages(`key like '%-next'`)).toHaveLength(PAGES);
});
