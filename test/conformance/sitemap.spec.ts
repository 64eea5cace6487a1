import { describe, expect } from 'vitest';
import { parseSitemap } from '../../src/core/sitemap/sitemap.js';
import { groupOf, suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';

interface FileCase {
  id: string;
  base64: string;
  /** Name of the document's element; null for text and gzip. */
  root: string | null;
  /** Contents of `loc` elements one level down; text and gzip files have none. */
  locs?: string[];
}

const kinds: Readonly<Record<string, string>> = {
  urlset: 'urlset',
  sitemapindex: 'index',
  feed: 'atom',
  rss: 'rss',
  RDF: 'rss',
};

/** URLs outside `loc` elements: links of feeds, bare text in an index, text files, gzip. */
const byOtherRules: Record<string, string[]> = {
  'sitemaps/atom.xml': ['http://example.org/2003/12/13/atom03'],
  'sitemaps/do-not-visit.txt': ['http://www.example.com/do-not-visit-here'],
  'sitemaps/sitemap-with-bom.txt': ['http://www.domain.com/page1.html', 'http://www.domain.com/page2.html'],
  'sitemaps/sitemap.txt': ['http://www.domain.com/page1.html', 'http://www.domain.com/page2.html'],
  'sitemaps/sitemap.index.xml': [
    10260, 2, 10080, 10140, 10340, 10400, 10430, 10440, 10450, 10460, 10470, 10480, 10490, 10550, 10570,
  ].map((code) => `https://example.com/sitemap.jss?portalCode=${code}&lang=en`),
  'sitemaps/sitemap.txt.gz': [
    'http://www.example.com/',
    'http://www.example.com/catalog?item=12&desc=vacation_hawaii',
    'http://www.example.com/catalog?item=73&desc=vacation_new_zealand',
    'http://www.example.com/catalog?item=74&desc=vacation_newfoundland',
    'http://www.example.com/catalog?item=83&desc=vacation_usa',
  ],
};
byOtherRules['sitemaps/xmlSitemap.gz'] = byOtherRules['sitemaps/sitemap.txt.gz']!;

describe('crawler-commons: files of sitemaps', () => {
  eachCase(suiteOf<FileCase>('sitemap', 'crawler-commons'))(
    '$id has the expected URLs and no errors',
    ({ id, base64, root, locs = [] }) => {
      const read = parseSitemap(Buffer.from(base64, 'base64'), { url: 'http://www.example.com/sitemap.xml' });
      const found = [...read.entries, ...read.sitemaps].map(({ loc }) => loc);
      expect(found).toEqual(byOtherRules[id] ?? locs);
      if (root !== null) expect(read.kind).toBe(kinds[root]);
      expect(read.errors).toEqual([]);
    },
  );
});

interface NutchCase {
  n: number;
  url: string;
  xml: string;
  urls: number;
  sitemaps: number;
}

describe('Nutch: URL set and index', () => {
  eachCase(groupOf<NutchCase>('sitemap.parse').cases)('case $n has $urls URLs and $sitemaps sitemaps', (one) => {
    const read = parseSitemap(Buffer.from(one.xml), { url: one.url, strict: true });
    expect([read.entries.length, read.sitemaps.length, read.errors]).toEqual([one.urls, one.sitemaps, []]);
  });
});
