import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SitemapOptions } from '../../../src/core/sitemap/sitemap-document.js';
import { parseSitemap } from '../../../src/core/sitemap/sitemap.js';

const url = 'http://site.test/maps/sitemap.xml';
const read = (document: string | Uint8Array, options: Partial<SitemapOptions> = {}) =>
  parseSitemap(typeof document === 'string' ? Buffer.from(document) : document, { url, ...options });
const reasons = (document: ReturnType<typeof read>) =>
  Object.fromEntries(document.errors.map(({ reason, count }) => [reason, count]));
const locs = (document: ReturnType<typeof read>) => document.entries.map(({ loc }) => loc);

const ns = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const urlset = (inside: string, attributes = ns) =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset ${attributes}>${inside}</urlset>`;
const one = (loc: string, rest = '') => urlset(`<url><loc>${loc}</loc>${rest}</url>`);
const a = 'http://site.test/maps/a';

describe('an entry (sitemaps.org, "XML tag definitions")', () => {
  it('has URL, lastmod, changefreq and priority', () => {
    const document = read(
      one(a, '<lastmod>2005-01-01</lastmod><changefreq>monthly</changefreq><priority>0.8</priority>'),
    );
    expect(document).toMatchObject({
      kind: 'urlset',
      entries: [{ loc: a, lastmod: Date.UTC(2005, 0, 1), changefreq: 'monthly', priority: 0.8 }],
      errors: [],
    });
  });

  it('has images, videos, news and alternates (sitemaps.org, "Extending the Sitemaps protocol")', () => {
    const rest = `<image:image><image:loc>http://i.test/1.png</image:loc><image:title>One</image:title></image:image>
      <image:image><image:loc>http://i.test/2.png</image:loc></image:image>
      <video:video><video:title>Steaks</video:title><video:content_loc>http://v.test/v.flv</video:content_loc></video:video>
      <news:news><news:publication><news:name>The Times</news:name><news:language>en</news:language></news:publication>
        <news:publication_date>2008-12-23</news:publication_date><news:title>Merger</news:title></news:news>
      <xhtml:link rel="alternate" hreflang="de" href="http://site.test/maps/de"/>`;
    expect(read(one(a, rest)).entries).toEqual([
      {
        loc: a,
        lastmod: null,
        changefreq: null,
        priority: null,
        images: [
          { loc: 'http://i.test/1.png', title: 'One', caption: null },
          { loc: 'http://i.test/2.png', title: null, caption: null },
        ],
        videos: [{ title: 'Steaks', description: null, thumbnail: null, content: 'http://v.test/v.flv', player: null }],
        news: { title: 'Merger', name: 'The Times', language: 'en', publicationDate: Date.UTC(2008, 11, 23) },
        alternates: [{ href: 'http://site.test/maps/de', hreflang: 'de' }],
      },
    ]);
  });

  it.each([
    ['white space around its URL', one('\n\t http://site.test/maps/a \n'), a],
    ['a CDATA section', one('<![CDATA[http://site.test/maps/a?x=1&y=2]]>'), `${a}?x=1&y=2`],
    ['entities ("Entity escaping")', one('http://site.test/maps/a?x=1&amp;y=&#50;&#x33;'), `${a}?x=1&y=23`],
    ['unescaped ampersands', one('http://site.test/maps/a?x=1&y=2'), `${a}?x=1&y=2`],
    ['no namespace', urlset(`<url><loc>${a}</loc></url>`, ''), a],
    [
      'another namespace',
      urlset(`<url><loc>${a}</loc></url>`, 'xmlns="http://www.google.com/schemas/sitemap/0.84"'),
      a,
    ],
    [
      'a lone image:loc before its loc',
      urlset(`<url><image:loc>http://i.test/x.png</image:loc><loc>${a}</loc></url>`),
      a,
    ],
    ['a namespace prefix', `<s:urlset xmlns:s="x"><s:url><s:loc>${a}</s:loc></s:url></s:urlset>`, a],
    ['element names in capitals', `<URLSET><URL><LOC>${a}</LOC></URL></URLSET>`, a],
    ['no XML declaration, and white space before the root', `\n\n <urlset><url><loc>${a}</loc></url></urlset>`, a],
    [
      'a comment that contains another entry',
      urlset(`<!-- <url><loc>http://no.test/</loc></url> --><url><loc>${a}</loc></url>`),
      a,
    ],
    ['bare text instead of loc', urlset(`<url>${a}</url>`), a],
    ['a root with another name', `<urls><url><loc>${a}</loc></url></urls>`, a],
    ['a DOCTYPE whose entities are not expanded', `<!DOCTYPE u [<!ENTITY x "http://x.test/">]>${one(a)}`, a],
    ['unclosed fields', urlset(`<url><loc>${a}<lastmod>2005-01-01</lastmod></url>`), a],
    ['two locs, the first of which counts', one(a, '<loc>http://site.test/maps/b</loc>'), a],
  ])('is read with %s', (_, document, loc) => {
    expect(locs(read(document))).toEqual([loc]);
  });

  it.each([
    ['a relative loc, made absolute', one('b?x'), ['http://site.test/maps/b?x'], { 'relative-loc': 1 }],
    ['a missing loc', urlset('<url><lastmod>2005</lastmod></url>'), [], { 'missing-loc': 1 }],
    ['an unsupported scheme', one('ftp://site.test/a'), [], { 'invalid-loc': 1 }],
    ['a javascript: URL', one('javascript:alert(1)'), [], { 'invalid-loc': 1 }],
    ['a loc that is not a URL', one('http://'), [], { 'invalid-loc': 1 }],
    ['a loc of 9,000 characters', one(`http://site.test/${'x'.repeat(9000)}`), [], { 'invalid-loc': 1 }],
    ['an unknown changefreq', one(a, '<changefreq>often</changefreq>'), [a], { 'invalid-changefreq': 1 }],
    ['a priority above 1', one(a, '<priority>10</priority>'), [a], { 'invalid-priority': 1 }],
    ['a negative priority', one(a, '<priority>-0.5</priority>'), [a], { 'invalid-priority': 1 }],
    ['a priority in words', one(a, '<priority>high</priority>'), [a], { 'invalid-priority': 1 }],
    ['an invalid lastmod', one(a, '<lastmod>yesterday</lastmod>'), [a], { 'invalid-lastmod': 1 }],
    ['no error for empty hints', one(a, '<lastmod/><changefreq></changefreq><priority> </priority>'), [a], {}],
  ])('counts %s', (_, document, found, counted) => {
    const result = read(document);
    expect([locs(result), reasons(result)]).toEqual([found, counted]);
  });

  it('accepts changefreq in any letter case', () => {
    expect(read(one(a, '<changefreq> Daily\n</changefreq>')).entries[0]?.changefreq).toBe('daily');
  });
});

describe('strict parsing (sitemap.strict.parsing; sitemaps.org, "Sitemap file location")', () => {
  const document = urlset(
    [a, 'http://site.test/b', 'https://site.test/maps/c', 'http://other.test/maps/d', 'http://site.test/maps/deep/e']
      .map((loc) => `<url><loc>${loc}</loc></url>`)
      .join(''),
  );

  it('accepts entries below the folder of the sitemap, and counts the others', () => {
    const result = read(document, { strict: true });
    expect([locs(result), reasons(result)]).toEqual([[a, 'http://site.test/maps/deep/e'], { 'outside-path': 3 }]);
  });

  it('accepts entries on origins whose robots.txt lists the sitemap ("Sitemaps & Cross Submits")', () => {
    const result = read(document, { strict: true, alsoOrigins: ['http://other.test'] });
    expect(locs(result)).toContain('http://other.test/maps/d');
  });

  it.each([
    ['http://site.test/~user/sitemap.xml', 'http://site.test/%7Euser/a'],
    ['http://site.test/%7euser/sitemap.xml', 'http://site.test/~user/a'],
    ['http://site.test/%D8%AE/sitemap.xml', 'http://site.test/%d8%ae/a'],
    ['http://site.test/%d8%ae/sitemap.xml', 'http://site.test/خ/a'],
  ])('compares paths by what their escapes mean (RFC 3986 §6.2.2): %s lists %s', (sitemap, loc) => {
    const entries = urlset(`<url><loc>${loc}</loc></url>`);
    expect(locs(read(entries, { strict: true, url: sitemap }))).toEqual([loc]);
  });

  it('does not take an escaped slash for the end of a folder', () => {
    const entries = urlset('<url><loc>http://site.test/maps%2Fa</loc></url>');
    expect(reasons(read(entries, { strict: true }))).toEqual({ 'outside-path': 1 });
  });

  it('is off by default', () => {
    expect(read(document).entries).toHaveLength(5);
  });
});

describe('the kind of a document (sitemaps.org, "Other Sitemap formats")', () => {
  it.each([
    [
      'an index',
      '<sitemapindex><sitemap><loc>http://site.test/1.xml</loc><lastmod>2005</lastmod></sitemap></sitemapindex>',
      'index',
    ],
    ['an index with bare text', '<sitemapindex><sitemap>\nhttp://site.test/1.xml\n</sitemap></sitemapindex>', 'index'],
  ])('%s lists sitemaps ("Using Sitemap index files")', (_, document, kind) => {
    const result = read(document);
    expect(result).toMatchObject({ kind, sitemaps: [{ loc: 'http://site.test/1.xml' }], entries: [], errors: [] });
  });

  it.each([
    [
      'RSS',
      `<rss version="2.0"><channel><link>http://site.test/</link><image><url>http://i.test/</url></image>
       <item><title>A</title><link>${a}</link><pubDate>Sat, 01 Jan 2005 00:00:00 GMT</pubDate></item></channel></rss>`,
      'rss',
    ],
    [
      'RSS with guid alone',
      `<rss><channel><item><guid>${a}</guid><pubDate>2005-01-01</pubDate></item></channel></rss>`,
      'rss',
    ],
    [
      'RDF',
      `<rdf:RDF xmlns:rdf="r" xmlns:dc="d"><item rdf:about="${a}"><dc:date>2005-01-01</dc:date></item></rdf:RDF>`,
      'rss',
    ],
    [
      'Atom',
      `<feed><link href="http://site.test/"/><entry><link rel="self" href="http://x.test/"/><link href="${a}"/>
       <published>2004-01-01</published><updated>2005-01-01T00:00:00Z</updated></entry></feed>`,
      'atom',
    ],
    [
      'Atom with relative links (RFC 4287 §2)',
      `<feed xml:base="/maps/x"><entry><link href="a"/><updated>2005-01-01</updated></entry></feed>`,
      'atom',
    ],
    [
      'Atom with a base of each element',
      `<feed xml:base="http://site.test/x/"><entry xml:base="../maps/"><updated>2005-01-01</updated>
       <link xml:base="http://other.test/" rel="self" href="self"/><link xml:base="b/" href="../a"/></entry></feed>`,
      'atom',
    ],
    [
      'RSS with a base',
      `<rss xml:base="http://site.test/maps/"><channel xml:base="b/"><item xml:base=".."><link>a</link>
       <pubDate>2005-01-01</pubDate></item></channel></rss>`,
      'rss',
    ],
  ])('%s lists its links and their times ("Syndication feed")', (_, document, kind) => {
    expect(read(document)).toMatchObject({ kind, entries: [{ loc: a, lastmod: Date.UTC(2005, 0, 1) }], errors: [] });
  });

  it('a guid that is not a permalink is not used as URL (RSS 2.0, <guid>)', () => {
    const guid = '<guid isPermaLink="false">http://site.test/maps/id-1</guid>';
    expect(locs(read(`<rss><channel><item>${guid}<title>A</title></item></channel></rss>`))).toEqual([]);
    expect(locs(read('<rss><channel><item><guid>id-1</guid></item></channel></rss>'))).toEqual([]);
    const both = `${guid}<guid isPermaLink="TRUE">${a}</guid>`;
    expect(locs(read(`<rss><channel><item>${both}</item></channel></rss>`))).toEqual([a]);
  });

  it.each([
    [`${a}\nhttp://site.test/maps/b`, [a]],
    [`${a}\rhttp://site.test/maps/b`, [a]],
    [`${a}\nhttp://site.test/maps/b\n`, [a, 'http://site.test/maps/b']],
    [a, []],
  ])('truncated text (%j) is read up to its last complete line', (text, whole) => {
    expect(locs(read(text, { isCut: true }))).toEqual(whole);
  });

  it.each([
    ['lines of URLs', `${a}\nhttp://site.test/b\n`],
    ['CR LF line ends, white space and comments', `# list\r\n ${a} \r\n\r\nhttp://site.test/b`],
    ['CR line ends', `${a}\rhttp://site.test/b\r`],
  ])('text: %s ("Text file")', (_, document) => {
    expect(read(document)).toMatchObject({ kind: 'text', entries: [{ loc: a }, { loc: 'http://site.test/b' }] });
  });

  it.each([
    [
      'an HTML error page',
      '<!DOCTYPE html><html><head><title>404</title><link href="/x"></head></html>',
      'html',
      { html: 1 },
    ],
    ['text without a URL', 'Not found', 'unknown', { 'invalid-loc': 1, 'not-a-sitemap': 1 }],
    ['JSON', '{"error": 404}', 'unknown', { 'invalid-loc': 1, 'not-a-sitemap': 1 }],
    ['XML of another kind', '<error><code>NoSuchKey</code></error>', 'unknown', { 'not-a-sitemap': 1 }],
    ['a root named constructor', '<constructor></constructor>', 'unknown', { 'not-a-sitemap': 1 }],
    ['a root named __proto__', '<__proto__></__proto__>', 'unknown', { 'not-a-sitemap': 1 }],
    ['an empty document', '', 'empty', {}],
    ['white space', ' \n ', 'empty', {}],
    ['an empty urlset', '<urlset/>', 'urlset', {}],
  ])('%s has no entries', (_, document, kind, counted) => {
    const result = read(document);
    expect([result.kind, result.entries, reasons(result)]).toEqual([kind, [], counted]);
  });
});

describe('encodings (UTF-8 by sitemaps.org, others by XML 1.0, appendix F)', () => {
  const umlaut = one('http://site.test/maps/ä');
  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();
  it.each<[string, Uint8Array, string?]>([
    ['UTF-8', Buffer.from(umlaut)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${umlaut}`)],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${umlaut}`, 'utf16le')],
    ['UTF-16BE with a byte order mark', swapped(`\ufeff${umlaut}`)],
    ['UTF-16 without a byte order mark', Buffer.from(umlaut, 'utf16le')],
    ['UTF-16BE without a byte order mark', swapped(umlaut)],
    ['the encoding of the XML declaration', Buffer.from(umlaut.replace('UTF-8', 'ISO-8859-1'), 'latin1')],
    ['the encoding of the header', Buffer.from(umlaut, 'latin1'), 'text/xml; charset=iso-8859-1'],
    ['UTF-8 that declares UTF-16', Buffer.from(umlaut.replace('UTF-8', 'UTF-16'))],
    ['gzip', gzipSync(umlaut)],
    ['gzip twice', gzipSync(gzipSync(umlaut))],
    ['gzip in two members', Buffer.concat([gzipSync(umlaut.slice(0, 50)), gzipSync(umlaut.slice(50))])],
  ])('reads %s', (_, bytes, contentType) => {
    expect(locs(read(bytes, { contentType: contentType ?? null }))).toEqual(['http://site.test/maps/ä']);
  });
});

describe('the limits of a sitemap document', () => {
  const many = (n: number) => urlset(Array.from({ length: n }, (_, i) => `<url><loc>${a}${i}</loc></url>`).join('\n'));

  it('keeps the complete entries of a truncated document', () => {
    const document = many(10);
    const cut = read(document.slice(0, document.indexOf(`${a}7`) + 20));
    expect([cut.entries.length, reasons(cut)]).toEqual([7, { truncated: 1, 'missing-loc': 1 }]);
  });

  it('keeps the complete entries of truncated gzip data', () => {
    const bytes = gzipSync(many(5_000));
    const cut = read(bytes.subarray(0, bytes.length >> 1));
    expect(cut.entries.length).toBeGreaterThan(1_000);
    expect(reasons(cut)).toMatchObject({ coding: 1, truncated: 1 });
  });

  it.each([
    ['a letter', 'g'],
    ['a line break', '\r\n'],
    ['300 bytes', 'x'.repeat(300)],
    ['half a gzip header', '\x1f\x8b'],
  ])('reads gzip data to its end and ignores %s after it', (_what, behind) => {
    const text = many(500);
    const files = [gzipSync(text), Buffer.concat([gzipSync(text.slice(0, 700)), gzipSync(text.slice(700))])];
    for (const file of files) {
      const result = read(Buffer.concat([file, Buffer.from(behind, 'latin1')]));
      expect([result.entries.length, reasons(result)]).toEqual([500, {}]);
    }
  });

  it('counts an error for invalid gzip data', () => {
    expect(reasons(read(Buffer.from('1f8b0800ffffffff', 'hex')))).toEqual({ coding: 1 });
  });

  it('accepts at most 50,000 entries (sitemaps.org, "Using Sitemap index files")', () => {
    const result = read(many(50_001));
    expect([result.entries.length, reasons(result)]).toEqual([50_000, { 'too-many': 1 }]);
  });

  it('accepts at most maxEntries lines of text ("Text file")', () => {
    const result = read(`${a}\n`.repeat(11), { maxEntries: 10 });
    expect([result.entries.length, reasons(result)]).toEqual([10, { 'too-many': 1 }]);
  });

  it('reads the beginning of a document larger than sitemap.size.max', () => {
    const document = many(100);
    const result = read(document, { maxBytes: 2_000 });
    expect(result.entries.length).toBeGreaterThan(10);
    expect(reasons(result)).toMatchObject({ 'too-large': 1, truncated: 1 });
  });

  it('returns nothing of a gzip bomb', () => {
    const result = read(gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x')), { maxBytes: 1_000_000 });
    expect([result.kind, reasons(result)]).toEqual(['empty', { 'too-large': 1 }]);
  });

  it.each([
    ['nested elements', '<a>'.repeat(200_000)],
    ['nested entries', '<urlset>' + '<url><loc>'.repeat(100_000)],
    ['unmatched end tags', '<urlset>' + '</x>'.repeat(200_000)],
    ['unterminated comments', '<urlset>' + '<!--'.repeat(200_000)],
    ['unterminated CDATA', '<urlset><url><loc>' + '<![CDATA['.repeat(100_000)],
    ['ampersands', '<urlset><url><loc>' + '&'.repeat(500_000)],
    ['carriage returns', 'http://a.test/\r'.repeat(200_000)],
    ['attributes', `<urlset><url><link ${'href="x" '.repeat(100_000)}>`],
  ])('returns at most 50,000 entries for %s', (_, document) => {
    expect(read(document).entries.length).toBeLessThanOrEqual(50_000);
  });

  it.each([
    ['lines without a URL', 'a\n'.repeat(10_000), 'unknown'],
    ['comments', '# a\n'.repeat(10_000), 'unknown'],
    ['elements that are no entries', `<urlset>${'<a/>'.repeat(10_000)}`, 'urlset'],
    ['elements that are nested too deep', `<urlset>${'<a>'.repeat(10_000)}`, 'urlset'],
    ['unmatched end tags', `<urlset>${'</a>'.repeat(10_000)}`, 'urlset'],
  ])('ends in time for %s', (_, document, kind) => {
    let asked = 0;
    const result = read(document, { isOver: () => ++asked === 3 });
    expect([result.kind, asked, reasons(result)['timeout']]).toEqual([kind, 3, 1]);
  });

  it('returns only valid URLs for any bytes and any mix of tags', () => {
    const tags = [
      '<urlset>',
      '<url>',
      '<loc>',
      'http://x.test/',
      '</loc>',
      '</url>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '&#1;',
      '<item>',
      '<rss>',
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 400 }),
          fc.array(fc.constantFrom(...tags)).map((t) => Buffer.from(t.join(''))),
        ),
        (bytes) => {
          for (const { loc } of read(bytes).entries) expect(URL.canParse(loc)).toBe(true);
        },
      ),
    );
  });
});
