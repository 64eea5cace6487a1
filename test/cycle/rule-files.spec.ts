/** Stored rule files in jobs, as named by the configuration. */
import { beforeAll, expect, it } from 'vitest';
import { unreverseUrl } from '../../src/core/url/row-key.js';
import { RuleFileStore } from '../../src/conf/rule-file.store.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';

let files: RuleFileStore;
useCrawler();
beforeAll(async () => {
  files = new RuleFileStore(cycle.dataSource);
});

const urls = async (crawlId: string) =>
  (
    await cycle.db.query<{ key: string }>(
      'select p.key from webpage p join crawl c on c.id = p.crawl where c.name = $1 order by p.key',
      [crawlId],
    )
  ).map(({ key }) => unreverseUrl(key));

it('INJECT normalizes and filters by rule files', async () => {
  await files.save('hosts.txt', 'www.a.test a.test\n');
  await files.save('slashes.txt', 'a.test -\n');
  await files.save('kept-prefixes.txt', '# two sites\nhttp://a.test/\nhttp://b.test/\n');
  await files.save('denied.txt', 'b.test\n');
  const conf = {
    'plugin.includes': 'urlfilter-(prefix|domaindenylist)|urlnormalizer-(basic|host|slash)',
    'urlnormalizer.hosts.file': 'hosts.txt',
    'urlfilter.prefix.file': 'kept-prefixes.txt',
    'urlfilter.domaindenylist.file': 'denied.txt',
  };
  const lines = ['http://www.a.test/x/', 'http://A.test/x', 'http://b.test/y', 'http://c.test/z'];
  const job = await cycle.inject(lines, {}, { crawlId: 'files', conf });
  // slashes.txt is the default file name.
  expect(await urls('files')).toEqual(['http://a.test/x']);
  expect(JSON.stringify(job.result)).toContain('"urls_filtered"');
});

it('PARSE stores external links that a rule file exempts, and UPDATEDB adds their pages', async () => {
  await files.save('exempt.txt', '+^http://cdn\\.test/\n');
  const conf = {
    'plugin.includes': 'protocol-http|parse-html|scoring-opic|urlfilter-ignoreexempt|urlnormalizer-(basic|regex)',
    'db.ignore.external.links': 'true',
    'db.ignore.external.exemptions.file': 'exempt.txt',
  };
  const site = await crawler.site({ '/': links('/in', 'http://cdn.test/a', 'http://other.test/b') });
  await crawler.inject('exempt', [`${site.url}/`]);
  expect(await crawler.round('exempt', conf)).toBe(1);
  expect(await urls('exempt')).toEqual([`${site.url}/`, `${site.url}/in`, 'http://cdn.test/a']);
});
