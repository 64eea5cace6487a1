import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';

/** A CRAWL with `ranks`: when it has ended, the score of each page is its link rank. */

let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite({
    '/': page('<a href="/a">a</a> <a href="/b">b</a>'),
    '/a': page('<a href="/b">b</a>'),
    '/b': page('no link'),
  });
});
afterAll(async () => {
  await site?.close();
  await cycle?.close();
});

const RANKS = ['INVERTLINKS', 'WEBGRAPH', 'LINKRANK', 'SCOREUPDATE'];
const conf = {
  'link.ignore.internal.host': 'false',
  'link.ignore.internal.domain': 'false',
  'link.ignore.limit.domain': 'false',
  'db.ignore.internal.links': 'false',
};

async function crawled(
  crawlId: string,
  more: Partial<CrawlPlan>,
  ranking: Record<string, string> = conf,
): Promise<{ types: string[]; reason: unknown; warnings: unknown }> {
  const { confId, confHash } = await cycle.inject([`${site.url}/`], {}, { crawlId, conf: ranking });
  const plan: CrawlPlan = {
    seedName: null,
    rounds: null,
    topN: null,
    limit: null,
    adddays: 0,
    threads: 2,
    invertLinks: false,
    dedup: false,
    ranks: true,
    parsesWhileFetching: true,
    ...more,
  };
  const { id } = await cycle.jobs.create({ type: 'CRAWL', crawlId, confId, confHash, args: {}, plan });
  // Running any job runs all waiting ones.
  await cycle.run('DEDUP', {}, { crawlId });
  const children = await cycle.db.query<{ type: string; round: number }>(
    'select type, round from job where parent = $1 order by number',
    [id],
  );
  const { result } = (await cycle.jobs.find(id))!;
  return {
    types: children.map(({ type, round }) => `${type} ${round}`),
    reason: result!.reason,
    warnings: result!['warnings'],
  };
}

/** Each page has its link rank as score; the page with the most inlinks has the greatest. */
async function expectRanked(crawlId: string): Promise<void> {
  const pages = await cycle.db.query<{ key: string; score: number; rank: number | null }>(
    `select w.key, w.score, n.link_rank as rank from crawl c join webpage w on w.crawl = c.id
       left join webgraph_node n on n.crawl = w.crawl and n.host = w.host and n.key = w.key
      where c.name = $1 order by w.score desc`,
    [crawlId],
  );
  expect(pages).toHaveLength(3);
  expect(pages[0]!.key).toMatch(/\/b$/);
  for (const { score, rank } of pages) expect(score).toBe(rank);
}

it('a continuous CRAWL with ranks computes them once, after all pages are fetched', async () => {
  const { types, reason } = await crawled('keeps', { continuous: true });
  expect(reason).toBe('done');
  expect(types.slice(-RANKS.length).map((one) => one.split(' ')[0])).toEqual(RANKS);
  expect(types.filter((one) => one.startsWith('LINKRANK'))).toHaveLength(1);
  await expectRanked('keeps');
});

it('a strict CRAWL with ranks computes them after each round, before the next GENERATE', async () => {
  const { types, reason } = await crawled('strict', { rounds: 2 });
  expect(reason).toBe('rounds');
  const ofRound = (round: number): string[] =>
    ['GENERATE', 'FETCH', 'UPDATEDB', ...RANKS].map((type) => `${type} ${round}`);
  expect(types).toEqual([...ofRound(1), ...ofRound(2)]);
  await expectRanked('strict');
});

it('a CRAWL has the different warnings of its jobs in its result, each with the type of its job', async () => {
  const { warnings } = await crawled('one-site', { rounds: 2 }, {});
  expect(warnings).toEqual([
    expect.stringMatching(/^LINKRANK: No page gets a link rank: .*link\.ignore\.internal\.host/),
  ]);
  expect((await crawled('without', { rounds: 1 })).warnings).toBeUndefined();
});
