import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/conf/properties.js';
import { parsePage } from '../../../src/core/page/parse-page.js';
import type { ParsedPage } from '../../../src/core/page/parser.js';
import { makeParseChain } from '../../../src/plugin/parse-chain.js';

const url = 'http://site.test/dir/doc';
const read = (content: string, contentType: string | null, conf: Partial<typeof defaults> = {}): ParsedPage => {
  const all = { ...defaults, ...conf };
  const parsed = parsePage(Buffer.from(content), { url, contentType }, all, makeParseChain(all));
  if (parsed instanceof Promise) throw new Error('a parser took its time');
  return parsed;
};

const rss = `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>News &amp; more</title>
<link>http://site.test/</link><description>All of it</description><language>de</language>
<item><title>Erster</title><link>/a</link><pubDate>Tue, 03 Jun 2003 09:39:21 GMT</pubDate>
<description>&lt;p&gt;Ein &lt;b&gt;Text&lt;/b&gt; &amp;eacute;&lt;/p&gt;</description></item>
<item><title>Zweiter</title><guid>http://other.test/b</guid></item></channel></rss>`;

describe('a feed as a page', () => {
  const page = read(rss, 'application/rss+xml');

  it('has the title of the feed and the text of its entries', () => {
    expect(page).toMatchObject({
      parser: 'feed',
      status: { major: 1, minor: 0 },
      title: 'News & more',
      charset: 'utf-8',
    });
    expect(page.text).toBe('News & more\nAll of it\nErster\nEin Text é\nZweiter');
  });

  it("links to the feed's site and its entries, with their titles as anchors", () => {
    expect(page.outlinks).toEqual([
      { url: 'http://site.test/', anchor: 'News & more' },
      { url: 'http://site.test/a', anchor: 'Erster' },
      { url: 'http://other.test/b', anchor: 'Zweiter' },
    ]);
  });

  it('keeps format, language and entries as metadata', () => {
    expect(page.metadata).toMatchObject({ 'feed.format': 'rss 2.0', language: 'de' });
    expect(JSON.parse(page.metadata['feed.entries']!)).toEqual([
      { title: 'Erster', link: 'http://site.test/a', published: '2003-06-03T09:39:21.000Z' },
      { title: 'Zweiter', link: 'http://other.test/b', id: 'http://other.test/b' },
    ]);
  });

  it('keeps the URLs of entries without user info', () => {
    const item = '<item><link>http://user:password@a.test/1</link><guid>http://user:password@a.test/2</guid></item>';
    const tagged = '<item><guid isPermaLink="false">tag:me@a.test,2026:3</guid></item>';
    const { metadata } = read(`<rss version="2.0"><channel>${item}${tagged}</channel></rss>`, 'application/rss+xml');
    expect(JSON.parse(metadata['feed.entries']!)).toEqual([
      { link: 'http://a.test/1', id: 'http://a.test/2' },
      { id: 'tag:me@a.test,2026:3' },
    ]);
  });

  it('keeps as many whole entries in the metadata as fit in 64 KiB', () => {
    const items = Array.from({ length: 90 }, (_, n) => `<item><title>${n} ${'x'.repeat(900)}</title></item>`).join('');
    const long = read(`<rss version="2.0"><channel><title>t</title>${items}</channel></rss>`, 'text/xml');
    const shown = long.metadata['feed.entries']!;
    expect(shown.length).toBeLessThanOrEqual(65_536 + 100);
    const titles = (JSON.parse(shown) as { title: string }[]).map(({ title }) => title.split(' ')[0]);
    expect(titles).toEqual(Array.from({ length: 71 }, (_, n) => String(n)));
  });

  it.each([
    [
      'application/atom+xml',
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title></feed>',
      'application/atom+xml',
    ],
    ['text/xml', rss, 'text/xml'],
    ['application/xml; charset=utf-8', rss, 'application/xml'],
    ['text/html', rss, 'application/rss+xml'],
    ['application/octet-stream', rss, 'application/rss+xml'],
    [null, '<!-- a comment --><feed><title>t</title></feed>', 'application/atom+xml'],
    ['application/xml', `<!--${' a license'.repeat(1_000)}--><feed><title>t</title></feed>`, 'application/xml'],
    ['text/html', '<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel/></rdf:RDF>', 'application/rss+xml'],
  ])('is parsed when it is sent as %s', (contentType, content, type) => {
    expect(read(content, contentType)).toMatchObject({ parser: 'feed', type, tried: [] });
  });
});

describe('XML as a page', () => {
  it('has text, title and links after the feed and sitemap parsers refused it', () => {
    const xml = `<?xml version="1.0" encoding="iso-8859-1"?><book><title>Title</title><p xlink:href="/x">one <b>two</b></p>
      see http://a.test/b.<script>no</script></book>`;
    expect(read(xml, 'application/xml')).toMatchObject({
      parser: 'parse-xml',
      tried: [
        { parser: 'feed', reason: 'no feed: the root element is book' },
        { parser: 'parse-sitemap', reason: 'no sitemap: the root element is book' },
      ],
      title: 'Title',
      text: 'Title\none\ntwo\nsee http://a.test/b.',
      charset: 'windows-1252',
    });
    expect(read(xml, 'application/xml').outlinks.map((link) => link.url)).toEqual([
      'http://site.test/x',
      'http://a.test/b',
    ]);
  });

  it.each([
    ['<a>http://a.test/?a=1&amp;b=2&#38;c=3</a>', ['http://a.test/?a=1&b=2&c=3']],
    ['<a><![CDATA[http://a.test/]]>b<!-- c -->c</a>', ['http://a.test/bc']],
    ['<a>http://a.test/b<c>d</c>http://a.test/e</a>', ['http://a.test/b', 'http://a.test/e']],
    ['<a>http://a.test/b<script>http://a.test/s</script>&amp;d</a>', ['http://a.test/b']],
    ['<a><b href="/1"/>http://a.test/2<b href="/3"/>', ['http://site.test/1', 'http://a.test/2', 'http://site.test/3']],
    ['<a>http://a.test/b', ['http://a.test/b']],
  ])('%s has the links %j', (xml, expected) => {
    expect(read(xml, 'application/xml').outlinks.map((link) => link.url)).toEqual(expected);
  });

  it('links to URLs in a text of 200,000 character references', () => {
    const xml = `<a>http://a.test/b ${'&amp;'.repeat(200_000)} http://a.test/c</a>`;
    expect(read(xml, 'application/xml').outlinks.map((link) => link.url)).toEqual([
      'http://a.test/b',
      'http://a.test/c',
    ]);
  });

  it('has as many links as are allowed, in one text', () => {
    const xml = `<a>${'http://a.test/ '.repeat(200_000)}</a>`;
    const bounds = { 'db.max.outlinks.per.page': -1, 'db.max.outlinks.per.page.cap': 1_000_000 };
    const { status, outlinks } = read(xml, 'application/xml', bounds);
    expect([status.major, outlinks.length]).toEqual([1, 200_000]);
  });

  it.each([
    ['a feed', rss.replace('<item>', '<item><link>/1</link></item><item><link>/2</link></item><item>')],
    ['XML of attributes', '<a><b href="/1"/><b href="/2"/><b href="/3"/></a>'],
    ['XML of texts', '<a><b>http://a.test/1</b><b>http://a.test/2 http://a.test/3</b></a>'],
  ])('has no more links than db.max.outlinks.per.page.cap allows: %s', (_, xml) => {
    expect(read(xml, 'application/xml').outlinks.length).toBeGreaterThan(2);
    expect(read(xml, 'application/xml', { 'db.max.outlinks.per.page.cap': 2 }).outlinks).toHaveLength(2);
  });

  it.each(['image/svg+xml', 'application/mathml+xml'])('is parsed when it is sent as %s', (type) => {
    expect(read('<svg><title>S</title></svg>', type)).toMatchObject({ parser: 'parse-xml', title: 'S', type });
  });

  it('is refused without an element', () => {
    const { status, tried } = read('words', 'text/xml');
    expect(status.major).toBe(2);
    expect(tried.map(({ parser }) => parser)).toEqual(['feed', 'parse-sitemap', 'parse-xml']);
    expect(status.args[0]).toContain('parse-xml: no XML: no element is found');
  });
});

describe('a sitemap as a page', () => {
  it('links to the URLs that it lists', () => {
    const xml = '<urlset><url><loc>http://site.test/a</loc></url><url><loc>http://site.test/b</loc></url></urlset>';
    expect(read(xml, 'text/xml')).toMatchObject({
      parser: 'parse-sitemap',
      outlinks: [{ url: 'http://site.test/a' }, { url: 'http://site.test/b' }],
      metadata: { 'sitemap.kind': 'urlset', 'sitemap.entries': '2' },
    });
  });

  it('links to the sitemaps of an index', () => {
    const xml =
      '<?xml version="1.0"?><sitemapindex><sitemap><loc>http://site.test/s.xml</loc></sitemap></sitemapindex>';
    expect(read(xml, 'application/xml').outlinks.map((link) => link.url)).toEqual(['http://site.test/s.xml']);
  });
});

describe('JSON-LD as a page', () => {
  it('has the names, texts and URLs of its objects', () => {
    const json = JSON.stringify({
      '@context': 'https://schema.org',
      '@type': 'Article',
      headline: 'A headline',
      datePublished: '2020-01-01',
      author: { name: 'Somebody', url: '/people/1' },
      image: ['http://img.test/1.png', { '@type': 'ImageObject', contentUrl: '2.png' }],
      articleBody: 'The  text.',
    });
    expect(read(json, 'application/ld+json')).toMatchObject({
      parser: 'parse-json',
      title: 'A headline',
      text: 'A headline\nSomebody\nThe text.',
      outlinks: [
        { url: 'http://site.test/people/1' },
        { url: 'http://img.test/1.png' },
        { url: 'http://site.test/dir/2.png' },
      ],
    });
  });

  it('takes its title from the first object of a graph', () => {
    expect(read('{"@graph":[{"name":"First"},{"name":"Second"}]}', 'application/ld+json').title).toBe('First');
  });

  it.each(['', '{', '[1,2', 'nothing'])('%j is refused', (content) => {
    expect(read(content, 'application/ld+json')).toMatchObject({ parser: null, status: { major: 2, minor: 203 } });
  });

  it('is parsed when nested 5,000 levels deep', () => {
    const deep = `${'['.repeat(5_000)}"x"${']'.repeat(5_000)}`;
    expect(read(deep, 'application/ld+json').text).toBe('x');
  });
});

describe('comma-separated values as a page', () => {
  const csv = 'url,name\nhttp://a.test/1,First\n"http://a.test/2,b",Second\n';
  const linksOf = (type: string) => read(csv, type).outlinks.map(({ url: found }) => found);

  it('link to the URLs in their cells, and keep their text', () => {
    expect(linksOf('text/csv; charset=utf-8')).toEqual(['http://a.test/1', 'http://a.test/2,b']);
    expect(read(csv, 'text/csv').text).toBe('url,name\nhttp://a.test/1,First\n"http://a.test/2,b",Second');
  });

  it('are cells only if their type says so', () => {
    expect(linksOf('text/plain')).toEqual(['http://a.test/1,First', 'http://a.test/2,b']);
  });
});

describe('JavaScript as a page', () => {
  const script = 'var a = "http://a.test/x", b = \'/root\', c = "page.html?q=1", d = "word", e = "no url here";';

  it('has no parser by default', () => {
    expect(read(script, 'text/javascript').status.args).toEqual(['no parser for text/javascript']);
  });

  it('links to the URLs in its string literals with the plugin parse-js', () => {
    const urls = read(script, 'text/javascript', { 'plugin.includes': 'parse-js' }).outlinks.map((link) => link.url);
    expect(urls).toEqual(['http://a.test/x', 'http://site.test/root', 'http://site.test/dir/page.html?q=1']);
  });
});

describe('parser.plugins', () => {
  it.each([
    ['text/html parse-text', 'text/html', 'parse-text'],
    ['text/html nothing parse-text parse-html', 'text/html', 'parse-text'],
    ['text/html nothing', 'text/html', 'parse-html'],
    ['* parse-text', 'text/css', 'parse-text'],
    ['* parse-text', 'text/html', 'parse-html'],
    ['TEXT/CSS parse-text # as it stands', 'text/css', 'parse-text'],
    ['text/html parse-tika', 'text/html', 'parse-html'],
    ['# none', 'text/html', 'parse-html'],
  ])('with %j, %s is parsed by %s', (rules, type, parser) => {
    expect(read('<p>text', type, { 'parser.plugins': rules }).parser).toBe(parser);
  });

  it('lists parsers that are tried one after another', () => {
    const page = read('<p>text', 'text/html', { 'parser.plugins': 'text/html parse-json feed parse-html' });
    expect(page.parser).toBe('parse-html');
    expect(page.tried.map(({ parser, minor }) => [parser, minor])).toEqual([
      ['parse-json', 203],
      ['feed', 203],
    ]);
  });

  it('accepts parse-plugins.xml of Nutch', () => {
    const xml = `<?xml version="1.0"?><parse-plugins><!-- c --><mimeType name="*"><plugin id="parse-tika" /></mimeType>
      <mimeType name="text/css"><plugin id="parse-ext"/><plugin id="parse-text"/></mimeType>
      <aliases><alias name="parse-text" extension-id="org.apache.nutch.parse.text.TextParser"/></aliases></parse-plugins>`;
    expect(read('a {}', 'text/css', { 'parser.plugins': xml }).parser).toBe('parse-text');
    expect(read('a {}', 'text/other', { 'parser.plugins': xml }).status.args).toEqual(['no parser for text/other']);
  });

  it.each([
    ['text/html', /parser\.plugins: rule 1, position 9: no plugin is named/],
    ['text/plain parse-text\n\nhtml parse-html', /rule 2, position 1: a line begins with a type/],
    ['text/html parse-html par$e', /rule 1, position 22: this is no id/],
    ['a/b c\na/b d', /rule 2, position 1: the type is named in a line before/],
    ['<xml/>', /rule 1: the XML holds no mimeType element/],
  ])('%j is refused', (rules, message) => {
    expect(() => makeParseChain({ ...defaults, 'parser.plugins': rules })).toThrow(message);
  });
});
