import { describe, expect, it } from 'vitest';
import { parseConf } from '../../../src/core/conf/properties.js';
import type { IndexDocument } from '../../../src/core/indexing/index-document.js';
import type { IndexPage } from '../../../src/core/indexing/index-page.js';
import { RulesRefused } from '../../../src/plugin/extension-points.js';
import { makeIndexing } from '../../../src/plugin/indexing-filters.js';

const PAGE: IndexPage = {
  key: 'org.example.www:http/a',
  url: 'http://www.example.org/a',
  representative: 'http://www.example.org/a',
  status: 2,
  title: 'The title of the page',
  text: 'words of the page',
  type: 'text/html',
  headers: {},
  contentLength: 1_234,
  content: null,
  fetchTime: Date.UTC(2026, 0, 2),
  lastModified: null,
  score: 4,
  distance: 0,
  signature: '0a1b',
  batchId: 'b1',
  segment: '20260102000000',
  metadata: {},
  inlinks: [],
  outlinks: [],
};

/** The document that the given plugins produce for a page. */
function documentOf(
  plugins: string,
  page: Partial<IndexPage> = {},
  conf: Record<string, string> = {},
): IndexDocument | null {
  const all = { 'plugin.includes': plugins, ...conf };
  return makeIndexing(parseConf(all).conf)({ ...PAGE, ...page });
}

/** Its fields, without those that every document has. */
function fieldsOf(...given: Parameters<typeof documentOf>): Record<string, unknown> {
  const { fields } = documentOf(...given)!;
  const own = [...fields].filter(([name]) => !['digest', 'batchId', 'segment'].includes(name));
  return Object.fromEntries(own.map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

const DOCS = `<subcollections><subcollection><name>docs</name><whitelist>example.org/docs/</whitelist>
  <blacklist>/PRIVATE/</blacklist></subcollection></subcollections>`;

describe('every index document', () => {
  it('has the row key as id, and digest, batch and segment of its page', () => {
    expect(documentOf('none')).toEqual({
      id: PAGE.key,
      url: PAGE.url,
      boost: 1,
      fields: new Map([
        ['digest', ['0a1b']],
        ['batchId', ['b1']],
        ['segment', ['20260102000000']],
      ]),
      fieldBoosts: new Map(),
    });
  });

  it.each([
    ['0.5', 2],
    ['1', 4],
    ['0', 1],
  ])('has a boost of score^%s with scoring-opic', (power, boost) => {
    expect(documentOf('scoring-opic', {}, { 'indexer.score.power': power })!.boost).toBe(boost);
  });
});

interface Case {
  page?: Partial<IndexPage>;
  conf?: Record<string, string>;
  fields: Record<string, unknown> | null;
}

describe.each<[plugin: string, cases: Record<string, Case>]>([
  [
    'index-basic',
    {
      'adds host, url, content, title and tstamp': {
        fields: {
          host: 'www.example.org',
          url: PAGE.url,
          content: PAGE.text,
          title: PAGE.title,
          tstamp: new Date(PAGE.fetchTime),
        },
      },
      'uses the representative URL of the page': {
        page: { representative: 'http://example.org/', title: '', text: '' },
        fields: { host: 'example.org', url: 'http://example.org/', tstamp: new Date(PAGE.fetchTime) },
      },
      'cuts title and content, never inside a character, and adds the domain': {
        page: { title: 'ab😀c', text: 'words' },
        conf: { 'indexer.max.title.length': '3', 'indexer.max.content.length': '2', 'indexer.add.domain': 'true' },
        fields: {
          domain: 'example.org',
          host: 'www.example.org',
          url: PAGE.url,
          content: 'wo',
          title: 'ab',
          tstamp: new Date(PAGE.fetchTime),
        },
      },
      'adds what caching.forbidden excludes from a cache': {
        page: { title: '', text: '', metadata: { 'caching.forbidden': 'content' } },
        fields: { host: 'www.example.org', url: PAGE.url, cache: 'content', tstamp: new Date(PAGE.fetchTime) },
      },
    },
  ],
  [
    'index-anchor',
    {
      'adds each anchor text once per domain': {
        page: {
          inlinks: [
            { url: 'http://a.example.org/', anchor: 'Home' },
            { url: 'http://b.example.org/', anchor: 'Home' },
            { url: 'http://other.net/', anchor: 'Home' },
            { url: 'http://other.net/', anchor: 'home' },
            { url: 'http://other.net/', anchor: '  ' },
          ],
        },
        fields: { anchor: ['Home', 'Home', 'home'] },
      },
      'adds each anchor text once, ignoring case, with anchorIndexingFilter.deduplicate': {
        page: {
          inlinks: [
            { url: 'http://a.example.org/', anchor: 'Home' },
            { url: 'http://other.net/', anchor: 'home' },
          ],
        },
        conf: { 'anchorIndexingFilter.deduplicate': 'true' },
        fields: { anchor: 'Home' },
      },
    },
  ],
  [
    'index-more',
    {
      'adds content length, type with its parts, and fetch time': {
        fields: { date: new Date(PAGE.fetchTime), contentLength: 1_234, type: ['text/html', 'text', 'html'] },
      },
      'prefers Last-Modified and Content-Length of the headers': {
        page: { headers: { 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT', 'content-length': '77' } },
        conf: { 'moreIndexingFilter.indexMimeTypeParts': 'false' },
        fields: {
          lastModified: new Date('1994-11-06T08:49:37Z'),
          date: new Date('1994-11-06T08:49:37Z'),
          contentLength: 77,
          type: 'text/html',
        },
      },
      'uses the file name of Content-Disposition as title': {
        page: {
          type: '',
          contentLength: null,
          headers: { 'content-disposition': 'attachment; filename="report.pdf"' },
        },
        fields: { date: new Date(PAGE.fetchTime), title: 'report.pdf' },
      },
      'maps content types to configured names': {
        page: { contentLength: null },
        conf: {
          'moreIndexingFilter.mapMimeTypes': 'true',
          'moreIndexingFilter.mapMimeTypes.rules': 'web page\ttext/html\tapplication/xhtml+xml',
        },
        fields: { date: new Date(PAGE.fetchTime), type: 'web page' },
      },
    },
  ],
  [
    'index-metadata',
    {
      'adds metadata of seeds, parsers, meta elements and headers': {
        page: {
          metadata: { colour: 'red', 'metatag.description': 'about', 'metatag.keywords': 'a;b\tc' },
          headers: { server: 'nginx' },
        },
        conf: { 'index.db.md': 'colour', 'index.content.md': 'Server,none', 'index.metadata.separator': ';' },
        fields: {
          colour: 'red',
          'metatag.description': 'about',
          'metatag.keywords': ['a', 'b', 'c'],
          Server: 'nginx',
          meta_description: 'about',
          meta_keywords: ['a', 'b', 'c'],
        },
      },
    },
  ],
  [
    'index-static',
    {
      'adds constant fields': {
        conf: { 'index.static': 'field1:val1,field2:val2 val3,nothing' },
        fields: { field1: 'val1', field2: ['val2', 'val3'] },
      },
      'splits at the configured separators': {
        conf: {
          'index.static': 'a=1|2;b=3',
          'index.static.fieldsep': ';',
          'index.static.keysep': '=',
          'index.static.valuesep': '|',
        },
        fields: { a: ['1', '2'], b: '3' },
      },
    },
  ],
  [
    'index-links',
    {
      'adds inlinks and outlinks': {
        page: {
          inlinks: [{ url: 'http://www.example.org/b', anchor: '' }],
          outlinks: [{ url: 'http://other.net/x', anchor: '' }],
        },
        fields: { inlinks: 'http://www.example.org/b', outlinks: 'http://other.net/x' },
      },
      'adds hosts only, without the host of the page': {
        page: {
          inlinks: [{ url: 'http://www.example.org/b', anchor: '' }],
          outlinks: [
            { url: 'http://other.net/x', anchor: '' },
            { url: 'http://other.net/y', anchor: '' },
          ],
        },
        conf: { 'index.links.hosts.only': 'true', 'index.links.inlinks.host.ignore': 'true' },
        fields: { outlinks: 'other.net' },
      },
      'omits outlinks to the host of the page with index.links.outlinks.host.ignore, in any letter case, and keeps inlinks':
        {
          page: {
            inlinks: [{ url: 'http://www.example.org/b', anchor: '' }],
            outlinks: ['http://www.example.org/c', 'http://WWW.Example.ORG/d', 'http://other.example.org/'].map(
              (url) => ({
                url,
                anchor: '',
              }),
            ),
          },
          conf: { 'index.links.outlinks.host.ignore': 'true' },
          fields: { inlinks: 'http://www.example.org/b', outlinks: 'http://other.example.org/' },
        },
    },
  ],
  [
    'index-static|index-replace',
    {
      'rewrites fields of matching pages, or writes the result to another field': {
        conf: {
          'index.static': 'a:one two,b:ONE',
          'index.static.valuesep': '|',
          'index.replace.regexp':
            'b:c=/one/1/2\nhostmatch=.*example.org\na=#(\\w+) (\\w+)#$2 $1#\nurlmatch=^http://other\na=/two/2/',
        },
        fields: { a: 'two one', b: 'ONE', c: '1' },
      },
    },
  ],
  [
    'language-identifier',
    {
      'adds the language': { page: { metadata: { lang: 'de' } }, fields: { lang: 'de' } },
      'drops a page that is not in a listed language': { conf: { 'lang.index.languages': 'de,fr' }, fields: null },
    },
  ],
  [
    'headings',
    {
      'adds the headings': {
        page: { metadata: { h1: 'One', h2: 'two\tthree' } },
        fields: { headings: ['One', 'two', 'three'] },
      },
    },
  ],
  [
    'index-more|index-basic|index-jexl-filter|index-static',
    Object.fromEntries(
      [
        ['', true],
        [`host == 'www.example.org'`, true],
        [`doc.host == 'www.example.org' and doc.type[0] == 'text/html'`, true],
        [`doc.getFieldValue('host') == 'elsewhere'`, false],
        [`doc.contentLength >= 1234 and boost > 0`, true],
        [`contentLength < 1234`, false],
        [`status == 'db_fetched' and score > 3`, true],
        [`score > 4 || status == 'db_notmodified'`, false],
        [`text =~ '.*words.*' && signature =^ '0a'`, true],
        [`doc.none == ''`, true],
      ].map(([expression, isKept]) => [
        `${isKept ? 'keeps' : 'drops'} by "${expression}"`,
        {
          conf: { 'index.jexl.filter': expression as string, 'indexingfilter.order': 'index-basic index-more' },
          fields: isKept ? (expect.anything() as never) : null,
        },
      ]),
    ),
  ],
  [
    'mimetype-filter',
    {
      'keeps a page of a listed type': { conf: { 'mimetype.filter.rules': '# only\n-\ntext/' }, fields: {} },
      'drops a page of any other type': {
        page: { type: 'image/png' },
        conf: { 'mimetype.filter.rules': '-\ntext/' },
        fields: null,
      },
      'drops a page of an excluded type': { conf: { 'mimetype.filter.rules': '+\ntext/html' }, fields: null },
    },
  ],
  [
    'subcollection',
    {
      'adds the names of the subcollections that contain the URL': {
        conf: {
          'subcollections.rules': `<subcollections>
            <subcollection><name>all</name><whitelist>http://</whitelist><blacklist/></subcollection>
            <subcollection><name>example</name><key>part</key><whitelist>www.example.org
              elsewhere</whitelist><blacklist>/private</blacklist></subcollection>
            <subcollection><name>not a</name><whitelist>http://</whitelist><blacklist>/a</blacklist></subcollection>
          </subcollections>`,
        },
        fields: { subcollection: 'all', part: 'example' },
      },
      'matches URLs in their letter case as shipped': {
        page: { url: 'http://www.example.org/Docs/A' },
        conf: { 'subcollections.rules': DOCS },
        fields: {},
      },
      'matches URLs in any letter case with subcollection.case.insensitive': {
        page: { url: 'http://www.example.org/Docs/A' },
        conf: { 'subcollections.rules': DOCS, 'subcollection.case.insensitive': 'true' },
        fields: { subcollection: 'docs' },
      },
      'excludes URLs in any letter case with it, too': {
        page: { url: 'http://www.example.org/docs/private/a' },
        conf: { 'subcollections.rules': DOCS, 'subcollection.case.insensitive': 'true' },
        fields: {},
      },
    },
  ],
])('%s', (plugin, cases) => {
  it.each(Object.entries(cases))('%s', (_, { page, conf, fields }) => {
    if (fields === null) expect(documentOf(plugin, page, conf)).toBeNull();
    else expect(fieldsOf(plugin, page, conf)).toEqual(fields);
  });
});

it('indexing filters run in the order of indexingfilter.order', () => {
  const conf = { 'index.static': 'title:static', 'indexingfilter.order': 'index-static index-basic' };
  expect(fieldsOf('index-(basic|static)', {}, conf)['title']).toEqual(['static', PAGE.title]);
});

it.each([
  ['index-replace', 'index.replace.regexp', 'a=/(?=x)/y/', /rule 1, position 4: .*look-ahead/],
  ['index-replace', 'index.replace.regexp', 'a=/x/$1/', /there is no group 1/],
  ['index-replace', 'index.replace.regexp', 'nothing', /field=\/expression\/substitution\//],
  ['index-jexl-filter', 'index.jexl.filter', 'host ==', /something is missing/],
  ['index-jexl-filter', 'index.jexl.filter', "host == 'a", /rule 1, position 9: /],
  ['index-jexl-filter', 'index.jexl.filter', "(host == 'a'", /rule 1, position 13: /],
  ['index-jexl-filter', 'index.jexl.filter', "host = 'a'", /rule 1, position 6: /],
  ['index-jexl-filter', 'index.jexl.filter', "host == 'a' score > 1", /rule 1, position 13: /],
  ['index-jexl-filter', 'index.jexl.filter', "host.constructor('a')", /rule 1, position /],
  ['index-jexl-filter', 'index.jexl.filter', 'score', /a condition is required/],
  ['mimetype-filter', 'mimetype.filter.rules', '-\n<html>', /rule 2.*a content type/],
  ['subcollection', 'subcollections.rules', '<!DOCTYPE x><subcollections/>', /no document type/],
  ['subcollection', 'subcollections.rules', '<subcollections><subcollection><name>a</name>', /a whole element/],
  ['subcollection', 'subcollections.rules', 'subcollections: all', /a whole element/],
])('%s refuses %s=%s', (plugin, property, rules, message) => {
  expect(() => documentOf(plugin, {}, { [property]: rules })).toThrow(RulesRefused);
  expect(() => documentOf(plugin, {}, { [property]: rules })).toThrow(message);
});
