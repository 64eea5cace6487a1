/** The properties by subject: for readers who look for something and do not know its name. */

export interface PropertyGroup {
  readonly id: string;
  readonly title: string;
}

interface GroupRule extends PropertyGroup {
  /** Prefixes of names; a property belongs to the first group with a matching one. */
  readonly prefixes: readonly string[];
}

const rules: readonly GroupRule[] = [
  { id: 'schedule', title: 'When a page is fetched again', prefixes: ['db.fetch.'] },
  { id: 'signature', title: 'Signatures and duplicates', prefixes: ['db.signature.', 'deduplication.'] },
  {
    id: 'score',
    title: 'Scores',
    prefixes: ['scoring.', 'db.score.', 'db.stats.', 'link.', 'cosine.', 'urlmeta.'],
  },
  {
    id: 'table',
    title: 'Pages, links, seeds',
    prefixes: ['db.', 'crawldb.', 'linkdb.'],
  },
  { id: 'generate', title: 'What is fetched next', prefixes: ['generate.', 'partition.', 'crawl.', 'mapreduce.'] },
  { id: 'fetch', title: 'Fetching and politeness', prefixes: ['fetcher.'] },
  { id: 'robots', title: 'robots.txt', prefixes: ['http.robot'] },
  { id: 'request', title: 'Requests and answers', prefixes: ['http.', 'store.'] },
  { id: 'protocol', title: 'Other protocols: ftp, file', prefixes: ['ftp.', 'file.'] },
  {
    id: 'parse',
    title: 'Reading pages',
    prefixes: ['parser.', 'parse.', 'headings', 'metatags.', 'htmlparsefilter.', 'mime.', 'encodingdetector.', 'tika.'],
  },
  {
    id: 'index',
    title: 'Documents of an index',
    prefixes: [
      'exchanges.',
      'index.',
      'indexer.',
      'indexingfilter.',
      'anchorIndexingFilter.',
      'moreIndexingFilter.',
      'mimetype.',
      'subcollection',
    ],
  },
  { id: 'language', title: 'Languages', prefixes: ['lang.'] },
  { id: 'url', title: 'URL filters and normalizers', prefixes: ['urlfilter.', 'urlnormalizer.'] },
  { id: 'trap', title: 'Traps and budgets', prefixes: ['trap.'] },
  { id: 'host', title: 'Hosts and sitemaps', prefixes: ['hostdb.', 'sitemap.'] },
  { id: 'search', title: 'Search', prefixes: ['search.'] },
  { id: 'plugin', title: 'Plugins', prefixes: ['plugin.'] },
  { id: 'history', title: 'How long history is kept', prefixes: ['job.', 'fetch.'] },
  { id: 'webhook', title: 'Webhooks', prefixes: ['webhook.'] },
];

const others: PropertyGroup = { id: 'other', title: 'Others' };

/** All groups, in the order in which they are shown. */
export const propertyGroups: readonly PropertyGroup[] = [...rules, others].map(({ id, title }) => ({ id, title }));

export function groupOf(name: string): PropertyGroup {
  return rules.find(({ prefixes }) => prefixes.some((prefix) => name.startsWith(prefix))) ?? others;
}
