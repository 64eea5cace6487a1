/**
 * Speed of parsing: MB of content per second on one core, for pages of documentation: those of Debian's packages if corpus.mjs
 * has assembled them, else those of doc-tree.
 *
 *   node bench/parse.mjs [rounds]      after `npm run build`; CORPUS names a folder of corpus.mjs other than the default
 *   node bench/parse.mjs --markdown    tree, main content and Markdown of pages, then values that rules pick, and how many
 *                                      pages are as jsdom has them (trees.mjs); PART=2/4 for the second quarter of the pages
 *   node bench/parse.mjs --extract     only the rules
 *
 * Three variants alternate, so that other load affects them alike: `bare` is htmlparser2 with a handler that only collects
 * links and text; `parse` is the parse chain with the shipped plugins (charset, type, title, text, links resolved, meta
 * elements, signature); `whole` is all work of PARSE on a page: links normalized, filtered and deduplicated, text
 * compressed. The relevant ratio is `parse` to `bare`. Normalizing and filtering of links is measured once more
 * separately, without the cache of a task.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { defaults } from '../dist/src/core/conf/properties.js';
import { parsePage } from '../dist/src/core/page/parse-page.js';
import { keepOutlinks } from '../dist/src/core/page/outlinks.js';
import { PageParser } from '../dist/src/cycle/parse/page-parser.js';
import { activeForParsing, makeParseChain } from '../dist/src/plugin/parse-chain.js';
import { makeUrlRules } from '../dist/src/plugin/url-rules.js';
import { corpusIn, defaultFolder, partOf } from './corpus.mjs';
import { table } from './database.mjs';
import { makeDocTrees } from './doc-tree/trees.mjs';
import { benchTrees } from './trees.mjs';

const CORPUS = process.env.CORPUS ?? defaultFolder();
const PAGES = 1_250;
const words = process.argv.slice(2);
const ofTrees = words.includes('--markdown') ? ['markdown', 'extract'] : words.includes('--extract') ? ['extract'] : [];
const [part, parts] = (process.env.PART ?? '1/1').split('/').map(Number);
const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? (ofTrees.length > 0 ? 3 : 7));

function debianPages() {
  const corpus = corpusIn(CORPUS, 80);
  // Trees use pages of all hosts, links only those of the first few, as their results are cached by host.
  const { hosts, truth } = ofTrees.length > 0 ? spread(corpus) : partOf(corpus, { pages: PAGES });
  const roots = new Map(hosts.map(({ address, root }) => [address, root]));
  return truth.map(({ address, path }) => ({
    url: `http://${address}${path}`,
    contentType: 'text/html',
    truncated: false,
    content: readFileSync(join(roots.get(address), path)),
  }));
}

const spread = ({ hosts, truth }) => {
  const pages = truth.filter(({ path }) => /\.x?html?$/i.test(path));
  const few = pages.filter(
    (_, at) => Math.floor((at * PAGES) / pages.length) !== Math.floor(((at - 1) * PAGES) / pages.length),
  );
  return { hosts, truth: few.filter((_, at) => at % parts === part - 1) };
};

function madePages() {
  return [...makeDocTrees().values()].map(({ path, bytes, type }) => ({
    url: `http://docs.test${path}`,
    contentType: type,
    truncated: false,
    content: bytes,
  }));
}

const debian = existsSync(join(CORPUS, 'truth.txt'));
const pages = debian ? debianPages() : madePages();
const bytes = pages.reduce((sum, { content }) => sum + content.length, 0);

if (ofTrees.length > 0) {
  const source = debian ? "Debian's documentation" : 'bench/doc-tree';
  console.log(`${pages.length} pages of ${source}, ${(bytes / 1e6).toFixed(1)} MB\n`);
  await benchTrees(pages, { what: ofTrees, rounds });
  process.exit();
}

/** Links and text of a page, and nothing else. */
function bare({ content }) {
  const links = [];
  let text = '';
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'a' && attributes.href !== undefined) links.push(attributes.href);
      else if (name === 'img' && attributes.src !== undefined) links.push(attributes.src);
    },
    ontext(piece) {
      text += piece;
    },
  });
  parser.write(content.toString());
  parser.end();
  return links.length + text.length;
}

const rules = makeUrlRules(defaults);
const props = { ...defaults, plugins: activeForParsing(defaults) };
const chain = makeParseChain(defaults);
const parse = (page) => parsePage(page.content, page, props, chain);
const writer = new PageParser(defaults, rules);
const ways = {
  bare,
  parse,
  whole: (page) => writer.parse(page.content, page, () => {}),
};

const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
let links = 0;
let linkMs = 0;
for (let round = -1; round < rounds; round++) {
  for (const [name, run] of Object.entries(ways)) {
    const start = process.cpuUsage();
    for (const page of pages) {
      const answer = run(page);
      if (answer instanceof Promise) await answer;
    }
    const { user, system } = process.cpuUsage(start);
    if (round >= 0) times[name].push((user + system) / 1000);
  }
  // Without the cache of a task: each link of each page is filtered again.
  const found = [];
  for (const page of pages) found.push([page, (await parse(page)).outlinks]);
  const start = process.cpuUsage();
  for (const [page, outlinks] of found) {
    keepOutlinks(outlinks, page, defaults, (url) => {
      const admitted = rules.admit(url, 'outlink', { normalize: true, filter: true });
      return 'rejected' in admitted ? null : admitted.url;
    });
    links += outlinks.length;
  }
  const { user, system } = process.cpuUsage(start);
  if (round >= 0) linkMs += (user + system) / 1000;
}

const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];
const ms = Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
console.log(
  `${pages.length} pages of ${debian ? "Debian's documentation" : 'bench/doc-tree'}, ${(bytes / 1e6).toFixed(1)} MB, ${Math.round(links / (rounds + 1))} links\n`,
);
const results = [...Object.entries(ms), ['outlinks, nothing remembered', linkMs / rounds]];
console.log(
  table(
    ['what', 'ms CPU', 'MB/s', 'µs a page', 'to bare'],
    results.map(([name, time]) => [
      name,
      time.toFixed(0),
      (bytes / 1e3 / time).toFixed(1),
      ((time * 1e3) / pages.length).toFixed(0),
      (time / ms.bare).toFixed(2),
    ]),
  ),
);
