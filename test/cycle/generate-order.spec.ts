import { expect, it } from 'vitest';
import { page } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { counter } from './table.js';

/** GENERATE selects the best pages, also after UPDATEDB has changed their scores (docs/semantics/generate.md, "Order"). */

useCrawler();

const scores = (crawlId: string, where: string) =>
  cycle.db
    .query<{ score: number }>(
      `select score from webpage where crawl = (select id from crawl where name = $1) and ${where} order by score desc, key`,
      [crawlId],
    )
    .then((rows) => rows.map(({ score }) => score));
const selectable = (crawlId: string) => scores(crawlId, 'generate_mark is null and fetch_time <= now()');

/** A page of score 31 that contributes 0.3 to each of 100 pages, among 6,000 pages of score 1. */
async function hubCrawl(crawlId: string): Promise<void> {
  const paths = Array.from({ length: 6_000 }, (_, i) => `/p${i}`);
  const better = paths.filter((_, i) => i % 60 === 17);
  const web = await crawler.site({ '/hub': links(...better), '*': page('x') });
  await crawler.inject(crawlId, [`${web.url}/hub\tnutch.score=31`, ...paths.map((path) => web.url + path)]);
  await cycle.round({ crawlId, topN: 1, conf: { 'db.score.link.internal': '1.0' } });
  expect((await selectable(crawlId)).filter((score) => score > 1.2)).toHaveLength(100);
}

it.each([1, 100, 150])('GENERATE with topN %i selects the best of 6,000 pages, 100 with new score', async (topN) => {
  const crawlId = `hub-${topN}`;
  await hubCrawl(crawlId);
  const best = (await selectable(crawlId)).slice(0, topN);
  const job = await cycle.run('GENERATE', { topN }, { crawlId });
  expect(job.result).toMatchObject({ 'generate.count': topN });
  expect(await scores(crawlId, 'generate_mark is not null')).toEqual(best);
});

it('GENERATE with generate.max.count selects the best pages of each host', async () => {
  await hubCrawl('per-host');
  const best = (await selectable('per-host')).slice(0, 120);
  await cycle.run('GENERATE', {}, { crawlId: 'per-host', conf: { 'generate.max.count': '120' } });
  expect(await scores('per-host', 'generate_mark is not null')).toEqual(best);
});

it('GENERATE refreshes outdated ranks once: the next one refreshes none and selects the rest of the best', async () => {
  await hubCrawl('once');
  const first = await cycle.run('GENERATE', { topN: 50 }, { crawlId: 'once' });
  expect(counter(first, 'Generator', 'RANKS_REFRESHED')).toBe(100);
  const second = await cycle.run('GENERATE', { topN: 50 }, { crawlId: 'once' });
  expect(counter(second, 'Generator', 'RANKS_REFRESHED')).toBe(0);
  expect((await scores('once', 'generate_mark is not null')).filter((score) => score > 1.2)).toHaveLength(100);
});

it('GENERATE selects what "order by score desc" returns, over 16 rounds of random links and topN', async () => {
  let seed = 20_261_124;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const site = await crawler.site({
    '*': (req, res) => links(...Array.from({ length: 1 + random(40) }, () => `/p${random(400)}`))(req, res),
  });
  const seeds = Array.from({ length: 200 }, (_, i) => `${site.url}/p${i}\tnutch.score=${1 + random(1_000) / 100}`);
  const conf = { 'db.score.link.internal': '1.0' };
  await crawler.inject('random', seeds);
  for (let round = 0; round < 16; round++) {
    const [crawlId, topN] = ['random', 1 + random(12)];
    const best = (await selectable(crawlId)).slice(0, topN);
    const generated = await cycle.run('GENERATE', { topN }, { crawlId, conf });
    expect(await scores(crawlId, 'generate_mark is not null')).toEqual(best);
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const)
      await cycle.run(type, { batch: generated.result!['generate.batch.id'] }, { crawlId, conf });
  }
}, 120_000);
