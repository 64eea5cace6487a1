import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { page } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { indexLines, useIndexFolder } from './index-files.js';

useCrawler();

const folder = useIndexFolder();

it('a CRAWL with index runs INDEX for the batch of each round and then CLEAN', async () => {
  const site = await crawler.site({ '/': links('/a'), '/a': page('a') });
  await crawler.inject('k', [`${site.url}/`]);
  const conf = { 'plugin.includes.also': 'indexer-jsonl' };
  const { confId, confHash } = await cycle.run('READDB', {}, { crawlId: 'k', conf });
  const plan = {
    seedName: null,
    rounds: 2,
    topN: null,
    limit: null,
    adddays: 0,
    threads: null,
    invertLinks: false,
    dedup: false,
    index: true,
    parsesWhileFetching: true,
  };
  const { id } = await cycle.jobs.create({ type: 'CRAWL', crawlId: 'k', confId, confHash, args: {}, plan });
  // Running any job runs all waiting ones.
  await cycle.run('READDB', {}, { crawlId: 'k' });
  const crawl = (await cycle.jobs.find(id))!;
  expect(crawl).toMatchObject({ state: 'FINISHED', result: { counters: { IndexerJob: { DocumentCount: 2 } } } });
  const children = await cycle.db.query<{ id: string; type: string; round: number }>(
    'select id, type, round from job where parent = $1 order by number',
    [id],
  );
  expect(children.map(({ type, round }) => `${round} ${type}`)).toEqual(
    [1, 2].flatMap((round) => ['GENERATE', 'FETCH', 'UPDATEDB', 'INDEX', 'CLEAN'].map((type) => `${round} ${type}`)),
  );
  const indexed = children.filter(({ type }) => type === 'INDEX');
  const urls = await Promise.all(indexed.map((job) => indexLines(folder.path, { id: job.id, crawlId: 'k' })));
  expect(urls.map((lines) => lines.map(({ url }) => url))).toEqual([[`${site.url}/`], [`${site.url}/a`]]);
});

it('files of an INDEX are in their folder, whatever name the crawl has', async () => {
  await crawler.inject('..', []);
  const job = await cycle.run(
    'INDEX',
    { batch: '-all' },
    { crawlId: '..', conf: { 'plugin.includes.also': 'indexer-jsonl' } },
  );
  expect(job.state).toBe('FINISHED');
  expect(await readdir(join(folder.path, '%2E%2E'))).toEqual(['indexer-jsonl']);
});
