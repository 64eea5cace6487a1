import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FEED_OPTIONS } from '../../../src/core/feed/feed-document.js';
import { isFeed, parseFeed } from '../../../src/core/feed/feed.js';

const rss = (channel: string) => `<?xml version="1.0"?><rss version="2.0"><channel>${channel}</channel></rss>`;
const item = (inside: string) => parseFeed(rss(`<item>${inside}</item>`)).entries[0]!;
const atom = (inside: string, root = 'feed xmlns="http://www.w3.org/2005/Atom"') =>
  parseFeed(`<${root}>${inside}</feed>`);

describe('feed formats', () => {
  it.each([
    ['<rss version="0.91"><channel><title>t</title></channel></rss>', 'rss 0.91'],
    ['<rss><channel><title>t</title></channel></rss>', 'rss'],
    [
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel><title>t</title></channel></rdf:RDF>',
      'rss 0.90',
    ],
    [
      '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://purl.org/rss/1.0/"><s:channel><s:title>t</s:title></s:channel></r:RDF>',
      'rss 1.0',
    ],
    ['<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title></feed>', 'atom 1.0'],
    ['<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>t</a:title></a:feed>', 'atom 1.0'],
    ['<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>t</title></feed>', 'atom 0.3'],
    [
      '<!DOCTYPE rss [<!ENTITY x "y">\n<!ENTITY % z SYSTEM "http://e.example/z">]><rss version="2.0"><title>t</title></rss>',
      'rss 2.0',
    ],
  ])('%s is recognized as %s', (xml, format) => {
    expect(isFeed(xml)).toBe(true);
    expect(parseFeed(xml)).toMatchObject({ format, title: { value: 't' } });
  });

  it.each(['', 'text', '<html><title>t</title></html>', '<urlset/>', '{"a":1}'])('%j is not a feed', (text) => {
    expect(isFeed(text)).toBe(false);
  });
});

describe('an RSS item (RSS 2.0, "Elements of <item>")', () => {
  it('has title, link, publication date and text', () => {
    const all =
      '<title>T &amp; t</title><link> http://a.example/1 </link><pubDate>Tue, 03 Jun 2003 09:39:21 GMT</pubDate>' +
      '<description>short</description><content:encoded xmlns:content="http://purl.org/rss/1.0/modules/content/">' +
      '<![CDATA[<p>long</p>]]></content:encoded>';
    expect(item(all)).toEqual({
      id: null,
      title: { value: 'T & t', isMarkup: false },
      link: 'http://a.example/1',
      links: [{ href: 'http://a.example/1', rel: 'alternate', title: '' }],
      text: { value: '<p>long</p>', isMarkup: true },
      published: Date.UTC(2003, 5, 3, 9, 39, 21),
      updated: null,
    });
  });

  it.each([
    ['<guid>http://g.example/</guid>', 'http://g.example/'],
    ['<guid isPermaLink="true">http://g.example/</guid>', 'http://g.example/'],
    ['<guid isPermaLink="false">http://g.example/</guid>', null],
    ['<guid>g-1</guid>', null],
    ['<guid>http://g.example/</guid><link>http://l.example/</link>', 'http://l.example/'],
    ['<link>http://l.example/</link><guid>http://g.example/</guid>', 'http://l.example/'],
    ['<image><link>http://i.example/</link></image>', null],
    ['<source url="http://s.example/">s</source>', null],
    ['<link rel="self" href="http://s.example/"/><link>http://l.example/</link>', 'http://l.example/'],
    ['<link/><link href="http://l.example/"/>', 'http://l.example/'],
  ])('%s has link %s', (inside, link) => {
    expect(item(inside).link).toBe(link);
  });

  it.each([
    ['<title>a</title><title>b</title>', 'a'],
    ['<title/><dc:title>d</dc:title>', 'd'],
    ['<media:title xmlns:media="http://search.yahoo.com/mrss/">m</media:title>', 'm'],
    ['<media:title>m</media:title><title>a</title>', 'a'],
    ['<itunes:title>i</itunes:title><title>a</title>', 'a'],
    ['<author><title>no</title></author><title>a</title>', 'a'],
    ['<title>a <b>b</b> &lt;c&gt;</title>', 'a <b>b</b> &lt;c&gt;'],
    ['<title><![CDATA[a < b & c]]></title>', 'a < b & c'],
    ['<title type="xhtml"> <div>a</div><div>b</div></title>', '<div>a</div><div>b</div>'],
    ['<title>a', 'a'],
  ])('%s has title %j', (inside, title) => {
    expect(item(inside).title?.value).toBe(title);
  });

  it('lists enclosures among its links', () => {
    expect(item('<enclosure url="http://a.example/a.mp3" type="audio/mpeg"/>').links).toEqual([
      { href: 'http://a.example/a.mp3', rel: 'enclosure', title: '' },
    ]);
  });

  it.each([
    ['<itunes:summary>i</itunes:summary><description>d</description>', 'd'],
    ['<itunes:summary>i</itunes:summary>', 'i'],
    ['<media:group><media:description>m</media:description></media:group>', 'm'],
  ])('%s has text %j', (inside, text) => {
    expect(item(inside).text?.value).toBe(text);
  });
});

describe('the language of a feed', () => {
  it.each([
    ['<rss xml:lang="de"><channel><title>t</title></channel></rss>', 'de'],
    ['<rss xml:lang="de"><channel><language>fr</language></channel></rss>', 'fr'],
    ['<feed xmlns="http://www.w3.org/2005/Atom" xml:lang=" en-GB "><title xml:lang="fr">t</title></feed>', 'en-GB'],
    ['<feed xmlns="http://www.w3.org/2005/Atom" xml:lang=""/>', null],
  ])('%s is %s', (xml, language) => expect(parseFeed(xml).language).toBe(language));
});

describe('an Atom entry (RFC 4287 §4.1.2)', () => {
  it.each([
    ['<link href="http://a.example/"/>', 'http://a.example/'],
    ['<link rel="alternate" type="application/atom+xml" href="http://f.example/"/>', null],
    ['<link rel="related" href="http://r.example/"/>', null],
    ['<link href="http://a.example/"/><link rel="via" href="http://v.example/"/>', 'http://a.example/'],
    ['<link xml:base="http://b.example/x/" href="y"/>', 'http://b.example/x/y'],
    ['<source><link href="http://s.example/"/></source>', null],
  ])('%s has link %s', (inside, link) => {
    expect(atom(`<entry>${inside}</entry>`).entries[0]?.link).toBe(link);
  });

  it.each([
    ['<title type="html">a &lt;b>b&lt;/b></title>', 'a <b>b</b>', true],
    ['<title type="text">a &lt;b&gt;</title>', 'a <b>', false],
    ['<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <i>b</i></div></title>', 'a <i>b</i>', true],
    ['<title type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml">a</x:div></title>', 'a', true],
    ['<title type="xhtml"><div>a</div><div>b</div></title>', '<div>a</div><div>b</div>', true],
    ['<title type="application/octet-stream">YSBi</title>', 'a b', false],
    ['<title type="application/octet-stream">not base64 €</title>', 'not base64 €', false],
  ])('%s has title %j (markup: %s)', (inside, value, isMarkup) => {
    expect(atom(`<entry>${inside}</entry>`).entries[0]?.title).toEqual({ value, isMarkup });
  });

  it.each([
    ['http://h.example/a/feed', 'b/', 'http://h.example/a/b/x'],
    ['http://h.example/a/feed', '/b/', 'http://h.example/b/x'],
    ['http://h.example/a/feed', 'http://b.example/', 'http://b.example/x'],
  ])('of a feed at %s with xml:base="%s" links to %s', (url, base, link) => {
    const xml = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="${base}"><entry><link href="x"/></entry></feed>`;
    expect(parseFeed(xml, { ...FEED_OPTIONS, url }).entries[0]?.link).toBe(link);
  });

  it('prefers content to summary in either order', () => {
    const content = '<content type="text">c</content>';
    const summary = '<summary>s</summary>';
    for (const inside of [content + summary, summary + content])
      expect(atom(`<entry>${inside}</entry>`).entries[0]?.text?.value).toBe('c');
  });

  it('does not take over title or date of the feed', () => {
    const feed = atom('<entry><title>e</title></entry><title>f</title><updated>2003-12-13T18:30:02Z</updated>');
    expect([feed.title?.value, feed.entries[0]?.title?.value]).toEqual(['f', 'e']);
    expect(feed.updated).toBe(Date.UTC(2003, 11, 13, 18, 30, 2));
  });
});

describe('parseFeed on hostile feeds', () => {
  it('bounds the number of entries, their text and their links', () => {
    const many = parseFeed(rss('<item><title>x</title></item>'.repeat(500)), { maxEntries: 10, maxText: 100 });
    expect(many.entries.map(({ title }) => title?.value)).toEqual(Array(10).fill('x'));
    const long = parseFeed(rss(`<item><description>${'x '.repeat(10_000)}</description></item>`), {
      maxEntries: 10,
      maxText: 100,
    });
    expect(long.entries[0]?.text?.value).toBe('x '.repeat(50));
    expect(item('<link href="http://a.example/"/>'.repeat(1_000)).links).toHaveLength(50);
  });

  it('bounds the length of a link, however many xml:base attributes enclose it', () => {
    const nested = `<a xml:base="${'b'.repeat(4_000)}/">`.repeat(3);
    const { entries } = atom(`${nested}<entry><link href="x"/></entry>`, 'feed xml:base="http://h.example/"');
    expect(entries[0]?.links).toEqual([{ href: 'x', rel: 'alternate', title: '' }]);
    const long = `xml:base="http://h.example/${'b'.repeat(4_060)}/"`;
    expect(item(`<link ${long} href="${'x'.repeat(4_000)}"/>`)).toMatchObject({ link: null, links: [] });
    expect(item(`<link ${long} href="x"/>`).link).toHaveLength(4_079);
  });

  it('resolves no xml:base that no link needs', () => {
    const parse = vi.spyOn(URL, 'parse');
    const unused = '<x xml:base="y/"><x xml:base="z"/></x>'.repeat(1_000);
    const { entries } = atom(`${unused}<entry><link href="x"/></entry>`, 'feed xml:base="http://h.example/a/"');
    expect(entries[0]?.link).toBe('http://h.example/a/x');
    expect(parse.mock.calls).toEqual([['x', 'http://h.example/a/']]);
    parse.mockRestore();
  });

  it('bounds the total length of all links', () => {
    const entries = `<entry>${'<link href="x"/>'.repeat(50)}</entry>`.repeat(200);
    const feed = atom(entries, `feed xml:base="http://h.example/${'b'.repeat(4_000)}/"`);
    const links = feed.entries.flatMap((entry) => entry.links);
    // As many links of this length as fit in 16 MiB.
    const { length } = `http://h.example/${'b'.repeat(4_000)}/x`;
    expect(links.map(({ href }) => href.length)).toEqual(Array(Math.floor(16_777_216 / length)).fill(length));
  });

  it.each([
    ['unterminated tags', `<item><description><![CDATA[${'<a'.repeat(32_000)}]]></description></item>`.repeat(50)],
    [
      'elements after long white space',
      `<item><body type="xhtml">${' '.repeat(65_000)}${'<b/>'.repeat(2_000_000)}</body></item>`,
    ],
  ])('returns at most 200 entries for %s', (_, inside) => {
    expect(parseFeed(rss(inside)).entries.length).toBeLessThanOrEqual(200);
  });

  it('expands no entities', () => {
    const lol =
      '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><rss><channel><title>&b;</title></channel></rss>';
    expect(parseFeed(lol).title?.value).toBe('&b;');
  });

  it('reads elements nested 50,000 deep', () => {
    const deep = parseFeed(rss(`${'<a>'.repeat(50_000)}<title>no</title>${'</a>'.repeat(50_000)}<title>t</title>`));
    expect(deep.title?.value).toBe('t');
  });

  it('never throws', () => {
    const part = fc.constantFrom(
      ...'<rss> <item> </item> <title> </title> <link\thref=" "/> <entry> </entry> <![CDATA[ ]]> <!-- --> &lt; &x;'.split(
        ' ',
      ),
      ...'<content\ttype="base64"> <div> </div> text </feed> \0'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const feed = parseFeed(parts.join(''));
        expect(feed.entries.length).toBeLessThanOrEqual(40);
      }),
      { numRuns: 500 },
    );
  });
});
