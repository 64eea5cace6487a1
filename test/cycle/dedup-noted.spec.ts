import { describe, expect, it } from 'vitest';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, byPath, passDays } from './table.js';

/** Contents that UPDATEDB and INJECT note for DEDUP: when a page leaves a group of equal pages, the others are compared again. */

useCrawler();

const statuses = (crawlId: string) => byPath(cycle, ({ status }) => status, crawlId);

/**
 * Three equal pages, of which DEDUP has kept `/best`. It changes, and is fetched and parsed in a batch that is still open.
 * Returns the batch, the site, and a function that makes `/best` fail.
 */
async function parsedAnew(crawlId: string) {
  const same = page('the same words');
  let best = same;
  const site = await crawler.site({ '/a': same, '/b': same, '/best': (asked, answer) => best(asked, answer) });
  await crawler.inject(
    crawlId,
    ['/a', '/b', '/best'].map((path, i) => `${site.url}${path}\tnutch.score=${i + 1}`),
  );
  await crawler.round(crawlId);
  await cycle.run('DEDUP', {}, { crawlId });
  expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 7, '/best': 2 });
  best = page('new words');
  await passDays(cycle, 31, crawlId);
  const batch = batchOf(await cycle.run('GENERATE', { topN: 1 }, { crawlId }));
  for (const type of ['FETCH', 'PARSE'] as const) await cycle.run(type, { batch }, { crawlId });
  const fail = () => (best = (_, answer) => void answer.writeHead(404).end());
  return { batch, site, fail };
}

describe('the content that a page had before its batch', () => {
  it('is noted when the batch fetches the page a second time and that fails', async () => {
    const { batch, fail } = await parsedAnew('twice');
    fail();
    await cycle.run('FETCH', { batch }, { crawlId: 'twice' });
    await crawler.update('twice', { batch });
    await cycle.run('DEDUP', {}, { crawlId: 'twice' });
    expect(await statuses('twice')).toEqual({ '/a': 7, '/b': 2, '/best': 3 });
  });

  it('is noted when INJECT overwrites the page before UPDATEDB', async () => {
    const { batch, site } = await parsedAnew('anew');
    await cycle.inject([`${site.url}/best`], { overwrite: true }, { crawlId: 'anew' });
    await crawler.update('anew', { batch });
    await cycle.run('DEDUP', {}, { crawlId: 'anew' });
    expect(await statuses('anew')).toEqual({ '/a': 7, '/b': 2, '/best': 1 });
  });
});
