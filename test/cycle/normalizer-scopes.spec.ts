import { expect, it } from 'vitest';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { indexLines, useIndexFolder } from './index-files.js';
import { byPath } from './table.js';

/**
 * Jobs ask the normalizers each in its own scope: crawldb is in updatedb.spec.ts, fetcher in fetch-properties.spec.ts, linkdb in
 * invertlinks.spec.ts, partition in generate-part.spec.ts; all scopes are in test/api/inspect-url-rules.spec.ts.
 */

useCrawler();

const folder = useIndexFolder();

it('INJECT normalizes in scope inject, PARSE in scope outlink, INDEX in scope indexer', async () => {
  const site = await crawler.site({ '/by-inject': links('/a?x') });
  const conf = {
    'urlfilter.regex.rules': '+.',
    'urlnormalizer.regex.rules': '/never$\t/',
    'urlnormalizer.regex.rules.inject': '/a\\?x$\t/by-inject',
    'urlnormalizer.regex.rules.outlink': '/a\\?x$\t/by-outlink',
    'urlnormalizer.regex.rules.indexer': '/by-inject$\t/by-indexer',
    'plugin.includes.also': 'indexer-jsonl',
  };
  const options = { crawlId: 'scopes', conf: conf as Record<string, string> };
  await cycle.inject([`${site.url}/a?x`], {}, options);
  await cycle.round(options);
  expect(Object.keys(await byPath(cycle, () => true, 'scopes'))).toEqual(['/by-inject', '/by-outlink']);
  const written = async (args: Record<string, unknown>) =>
    (await indexLines(folder.path, await cycle.run('INDEX', args, options))).map(({ id }) => id.replace(/^[^/]*/, ''));
  expect(await written({ batch: '-all' })).toEqual(['/by-inject']);
  expect(await written({ batch: '-all', reindex: true, normalize: true })).toEqual(['/by-indexer']);
  options.conf = { ...conf, 'index.blacklist': `${site.url}/by-inject` };
  expect(await written({ batch: '-all', normalize: true })).toEqual(['/by-indexer']);
});
