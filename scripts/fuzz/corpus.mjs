/** The inputs to mutate: conformance cases of other projects, some handwritten documents, and the findings of earlier runs. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { documentsOf } from '../../test/support/conformance.ts';
import { lines, makePdf } from '../../test/support/pdf.ts';

const ROOT = join(import.meta.dirname, '..', '..');
export const FINDINGS = join(ROOT, 'test', 'fuzz', 'seeds');

/** Maximum of strings from one folder, evenly distributed, and of their length. */
const MAX_TEXTS = 1_500;
const MAX_LENGTH = 65_536;

/** All strings in the JSON files of a folder of conformance cases; none if it is missing. */
function stringsOf(folder) {
  const found = new Set();
  const walk = (value) => {
    if (typeof value === 'string') found.add(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (value !== null && typeof value === 'object') Object.values(value).forEach(walk);
  };
  documentsOf(folder).forEach(walk);
  const all = [...found].filter((text) => text.length > 0 && text.length <= MAX_LENGTH);
  const step = Math.max(1, all.length / MAX_TEXTS);
  return Array.from({ length: Math.min(MAX_TEXTS, all.length) }, (_, i) => Buffer.from(all[Math.floor(i * step)]));
}

const HTML = `<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A &amp; B</title><base href="/b/">
<meta name=robots content="noindex, nofollow"><meta http-equiv=refresh content="5; url=/x"><link rel=canonical href="/c">
<meta property="og:title" content=x><script type="application/ld+json">{"@type":"Thing","url":"/t"}</script></head>
<body><nav><a href="/n">n</a></nav><article><h1>Head</h1><p>${'Words of a page, with commas, to read. '.repeat(8)}<a href="x" rel=nofollow>link</a></p>
<pre><code class="language-js">a()</code></pre><table><tr><td>1<td>2</table><img src=i.png srcset="a 1x, b 2x" alt=i></article>
<iframe src=f></iframe><form action=s><textarea>t</textarea></form><svg><a xlink:href=y></a></svg><!-- c --></body></html>`;

const FEEDS = [
  '<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><link>http://a.test/</link><item><title>i</title><link>http://a.test/1</link><description>&lt;b&gt;x</description></item></channel></rss>',
  '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.test/"><title>t</title><entry><title type="html">e</title><link href="2"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">x</div></content></entry></feed>',
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="http://a.test/3"><title>r</title></item></rdf:RDF>',
];

const ROBOTS =
  'User-agent: a\nUser-agent: *\nDisallow: /a*b$\nAllow: /a%2fb\nCrawl-delay: 1.5\nSitemap: http://a.test/s.xml\n# c\n';

const SITEMAP = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>http://a.test/</loc><lastmod>2024-01-02T03:04:05+01:00</lastmod><changefreq>daily</changefreq><priority>0.5</priority><image:image><image:loc>http://a.test/i.png</image:loc></image:image></url></urlset>`;

const PDFS = [
  makePdf([{ ...lines('Hello', 'world'), links: ['/x', 'http://a.test/'] }], {
    info: { Title: '(t)', CreationDate: '(D:2024)' },
  }),
  makePdf([lines('one'), lines('two')], { objectStream: true }),
];

const coded = [Buffer.from(HTML), Buffer.from(ROBOTS)].flatMap((bytes) =>
  [gzipSync, deflateSync, deflateRawSync, brotliCompressSync, zstdCompressSync].map((code) => code(bytes)),
);

/** Inputs by kind. */
export function corpus() {
  const texts = (...all) => all.map((text) => Buffer.from(text));
  const html = [...texts(HTML), ...stringsOf('links'), ...stringsOf('charset')];
  const urls = [...stringsOf('url'), ...stringsOf('nutch'), ...stringsOf('psl'), ...texts('http://a.test/x?y=1&z=2#f')];
  return {
    html,
    urls,
    coded,
    pdf: PDFS,
    robots: [...texts(ROBOTS), ...stringsOf('robots')],
    sitemap: [...texts(SITEMAP), gzipSync(SITEMAP), ...stringsOf('sitemap')],
    feed: [...texts(...FEEDS), ...stringsOf('feed')],
    headers: [
      ...stringsOf('mime'),
      ...texts(
        'Sun, 06 Nov 1994 08:49:37 GMT',
        '120',
        'bot: noindex, unavailable_after: 1 Jan 2030',
        'en-US, de',
        '2024-01-02T03:04:05Z',
      ),
    ],
    lines: texts(
      'http://a.test/\tnutch.score=1.5\tk=v',
      'a.test\tq_mt=3',
      'name\t/x/\tcss\ta > b:not(.c)\t@href\tall',
      'n\t.\txpath\t//a[@x="y"]/text()',
    ),
    rules: texts(
      '+^http://a\\.test/(?:x|y)*$\n-.',
      '-(a+)+$',
      'a{1,9}[^b]\\d+',
      "status == 'db_fetched' && score > 0.5",
      '(?i)\\.(gif|png)$',
    ),
  };
}

/**
 * Findings of earlier runs, by target; `times`: number of repetitions of the bytes.
 * @returns {Record<string, { why: string, base64: string, times?: number }[]>}
 */
export function findings() {
  /** @type {Record<string, { why: string, base64: string, times?: number }[]>} */
  const found = {};
  for (const file of readdirSync(FINDINGS)
    .filter((name) => name.endsWith('.json'))
    .sort())
    found[file.replace(/\.json$/, '')] = JSON.parse(readFileSync(join(FINDINGS, file), 'utf8'));
  return found;
}
