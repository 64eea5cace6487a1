/**
 * Crawlee's HTTP crawler with htmlparser2 over all links of the seeds' hosts, in memory: no delay, no retries, no sessions, with
 * robots.txt. Prints `start`, the URL of each parsed page, and `end`. Run by peers.mjs: node crawlee.mjs PACKAGES-FOLDER
 * SEEDS-FILE.
 *
 * Title, text and links with their anchors are extracted from each page, as in any crawler, but not stored.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.argv[2], 'package.json'));
const { Configuration, HttpCrawler, log } = require('@crawlee/http');
const { Parser } = require('htmlparser2');
const seeds = readFileSync(process.argv[3], 'utf8').trim().split('\n');
const HREF = { a: 'href', area: 'href', frame: 'src', iframe: 'src' };

log.setLevel(log.LEVELS.OFF);

function readPage(html) {
  const page = { title: '', text: [], links: [], refresh: undefined };
  let inTitle = false;
  let silent = 0;
  let link;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'script' || name === 'style') silent += 1;
      if (name === 'title') inTitle = true;
      const href = HREF[name] && attributes[HREF[name]];
      if (href) page.links.push((link = { href, anchor: '' }));
      if (name === 'meta' && /^refresh$/i.test(attributes['http-equiv'] ?? '')) {
        page.refresh = /url\s*=\s*["']?([^"']+)/i.exec(attributes.content ?? '')?.[1];
      }
    },
    ontext(text) {
      if (silent > 0) return;
      if (inTitle) page.title += text;
      else page.text.push(text);
      if (link) link.anchor += text;
    },
    onclosetag(name) {
      if (name === 'script' || name === 'style') silent -= 1;
      if (name === 'title') inTitle = false;
      if (name === 'a') link = undefined;
    },
  });
  parser.write(html);
  parser.end();
  if (page.refresh) page.links.push({ href: page.refresh, anchor: '' });
  return page;
}

const seen = new Set(seeds);

/** New URLs of the page's own host; each href is resolved once. */
function newLinks(links, base) {
  const { host } = new URL(base);
  const found = [];
  for (const href of new Set(links.map((link) => link.href.trim().replace(/#.*/s, '')))) {
    const url = URL.parse(href, base);
    if (url?.host !== host || url.search !== '' || seen.has(url.href)) continue;
    seen.add(url.href);
    found.push(url.href);
  }
  return found;
}

const crawler = new HttpCrawler(
  {
    minConcurrency: 64,
    maxConcurrency: 200,
    maxRequestRetries: 0,
    useSessionPool: false,
    persistCookiesPerSession: false,
    respectRobotsTxtFile: true,
    additionalMimeTypes: ['text/plain'],
    async requestHandler({ body, request, contentType, crawler: own }) {
      const url = request.loadedUrl ?? request.url;
      process.stdout.write(`${url}\n`);
      if (contentType.type === 'text/plain') return;
      const links = newLinks(readPage(body.toString()).links, url);
      if (links.length > 0) await own.addRequests(links, { waitBetweenBatchesMillis: 0 });
    },
  },
  new Configuration({ persistStorage: false, purgeOnStart: false, availableMemoryRatio: 0.9 }),
);
process.stdout.write('start\n');
await crawler.run(seeds);
process.stdout.write('end\n', () => process.exit(0));
