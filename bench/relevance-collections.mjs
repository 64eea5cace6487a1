/**
 * Queries with the pages that answer them, made of real documentation (corpus.mjs), over whole pages of twelve packages, a host
 * each:
 *
 *   titles      the title of a page that no other page has
 *   links       the text of a link, where it is not the title of what it leads to; the index has the texts of other pages'
 *               links only
 *   purposes    what a manual page of Git or PostgreSQL says of itself in its first line, which the index does not have
 *   sentences   the first sentence of a page, of 8 to 40 words, which the index does not have
 *   subjects    entries of PostgreSQL's index of subjects for which it names several pages
 *   entries     entries of Python's index below which two to ten pages are named
 *   remembered  half of the longer words of a sentence in the midst of a page
 *
 * and, over sections of 300 to 3,000 characters, which are as long as abstracts, without links:
 *
 *   topics      the first sentence of a page, which the index does not have, and all sections of that page, without its title
 *   headings    the heading of a section, which the index does not have; its title is that of its page
 *
 * The same of ten other packages, those of Boost, Qt and Node.js among them: parameters that were chosen on the first hosts are
 * held against these. Pages and sections whose texts are the same are one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusIn } from './corpus.mjs';
import { clean, partsOf } from './search-documents.mjs';

const HOSTS = new Set(
  `git-doc postgresql-doc-15 python3.11-doc python-django-doc sqlite3-doc python-sqlalchemy-doc sphinx-doc postfix-doc debian-policy
   bind9-doc libglib2.0-doc libgtk-3-doc`.split(/\s+/),
);
const OTHERS = new Set(
  `apache2-doc erlang-doc gnuplot-doc libboost1.81-doc libeigen3-doc libxerces-c-doc maxima-doc nodejs-doc python-sympy-doc
   qtdeclarative5-doc-html`.split(/\s+/),
);
const INDEXES = /(?:bookindex|genindex|py-modindex|search|index-all|api-index)[^/]*\.html$/;
const PURPOSE = /^(?:NAME\n)?[\w ,./-]{2,60}? (?:-|—)\s+([^\n]{15,150})$/m;
const SENTENCE = /^([A-Z][^\n.]{40,300}\.)(?:\s|$)/m;
const MAX_QUERIES = 400;
/** Pages that one link text may lead to: others are "next" and "here". */
const MAX_TARGETS = 3;

const words = (text) => text.match(/[\p{L}\p{N}]+/gu) ?? [];
const plain = (text) => words(text).join(' ').toLowerCase();

/** Some of a list, from all parts of it. */
function sample(all) {
  const step = Math.max(1, Math.floor(all.length / MAX_QUERIES));
  return all.filter((_, i) => i % step === 0).slice(0, MAX_QUERIES);
}

function readPages(folder, taken) {
  const { hosts, truth } = corpusIn(folder, 80);
  const roots = new Map(hosts.map(({ address, root }) => [address, root]));
  const pages = new Map();
  // Of pages with one text, one is as right an answer as the other.
  const known = new Set();
  for (const { address, path } of truth) {
    const root = roots.get(address);
    const host = root.split('/').at(-1);
    if (!taken.has(host) || !/\.x?html?$/i.test(path)) continue;
    const html = readFileSync(join(root, path), 'utf8');
    const { title, parts, links } = partsOf(html);
    const url = `http://${host}.debian.org${path}`;
    const text = clean(parts.map(({ heading, text: below }) => `${heading}\n${below}`).join('\n'));
    if (known.has(text)) continue;
    known.add(text);
    const cleaned = parts.map(({ heading, text: below }) => ({ heading: clean(heading), text: clean(below) }));
    const headings = cleaned.map(({ heading }) => heading).filter((heading) => heading !== '');
    const page = { url, host, html, title: clean(title), headings, text, parts: cleaned, links };
    pages.set(url, { ...page, anchors: [], boost: 1 });
  }
  return pages;
}

const targets = new Map();

/** The page of the collection that a link leads to. */
function target(pages, from, href) {
  const [path] = href.split('#', 1);
  if (path === '') return undefined;
  const key = from.slice(0, from.lastIndexOf('/') + 1) + path;
  if (!targets.has(key)) targets.set(key, URL.parse(path, from)?.href ?? '');
  return pages.get(targets.get(key));
}

function* linksOf(pages) {
  for (const page of pages.values()) {
    for (const { href, text } of page.links) {
      const to = target(pages, page.url, href);
      if (to !== undefined && to !== page) yield { from: page, to, text: clean(text).replaceAll('\n', ' ') };
    }
  }
}

/** PageRank, 1 on average. */
function rank(pages) {
  const all = [...pages.values()];
  const outlinks = new Map(all.map((page) => [page, new Set()]));
  for (const { from, to } of linksOf(pages)) outlinks.get(from).add(to);
  for (let round = 0; round < 20; round++) {
    const next = new Map(all.map((page) => [page, 0.15]));
    for (const [page, to] of outlinks)
      for (const other of to) next.set(other, next.get(other) + (0.85 * page.boost) / to.size);
    for (const page of all) page.boost = next.get(page);
  }
}

function titles(pages) {
  const found = Map.groupBy([...pages.values()], ({ title }) => title);
  const unique = [...found].filter(([title, of]) => of.length === 1 && words(title).length > 1);
  return sample(unique.map(([query, [page]]) => ({ query, relevant: [page.url] })));
}

/** Links of every second page become anchors; texts of the others' are queries, where no anchor has them. */
function links(pages) {
  const odd = new Set([...pages.values()].filter((_, i) => i % 2 === 1));
  const asked = new Map();
  for (const { from, to, text } of linksOf(pages)) {
    if (!odd.has(from)) {
      if (to.anchors.length < 100) to.anchors.push(text);
    } else if (words(text).length > 1 && text.length < 100 && plain(text) !== plain(to.title)) {
      asked.set(plain(text), (asked.get(plain(text)) ?? new Set()).add(to));
    }
  }
  const known = new Set([...pages.values()].flatMap(({ anchors }) => anchors.map(plain)));
  const queries = [...asked].filter(([query, to]) => !known.has(query) && to.size <= MAX_TARGETS);
  return sample(queries.map(([query, to]) => ({ query, relevant: [...to].map(({ url }) => url) })));
}

/** Takes what `pattern` finds out of the texts of pages: the query of each. */
function heldOut(pages, pattern) {
  return [...pages].flatMap((page) => {
    const [line, query] = pattern.exec(page.text) ?? [];
    if (query === undefined) return [];
    page.text = page.text.replace(line, '');
    return [{ query, relevant: [page.url] }];
  });
}

const isManual = ({ host, url, html }) =>
  (host === 'git-doc' && html.includes('Manual Page')) || (host === 'postgresql-doc-15' && /\/(?:sql|app)-/.test(url));

const isQuestion = ({ query }) => words(query).length >= 8 && words(query).length <= 40;

function subjects(pages) {
  const index = [...pages.values()].find(({ url }) => url.endsWith('/bookindex.html'));
  if (index === undefined) return [];
  const entries = index.html.matchAll(/<dt[^>]*>([^<]{4,60}), ((?:<a [^>]*>[^<]*<\/a>(?:, )?)+)<\/dt>/g);
  return sample(
    [...entries].flatMap(([, query, to]) => {
      const hrefs = [...to.matchAll(/href="([^"]+)"/g)].map(([, href]) => target(pages, index.url, href)?.url);
      const relevant = [...new Set(hrefs.filter((url) => url !== undefined))];
      return relevant.length > 1 && words(query).length > 0 ? [{ query, relevant }] : [];
    }),
  );
}

/** Entries of Python's index, with the pages that are named below them: two to ten. */
function entries(pages) {
  const index = [...pages.values()].find(({ url }) => url.endsWith('/genindex-all.html'));
  if (index === undefined) return [];
  return sample(
    index.html.split(/^ {6}<li>/m).flatMap((entry) => {
      const [query] = entry
        .replace(/^\s*<a [^>]*>/, '')
        .trim()
        .split(/[<(\n]/, 1);
      const hrefs = [...entry.matchAll(/href="([^"#]+)/g)].map(([, href]) => target(pages, index.url, href)?.url);
      const relevant = [...new Set(hrefs.filter((url) => url !== undefined))];
      const isTopic = /^[a-z][a-z -]{3,40}$/i.test(query.trim()) && relevant.length > 1 && relevant.length <= 10;
      return isTopic ? [{ query: query.trim(), relevant }] : [];
    }),
  );
}

/** Sections of every third page, without their headings, which are the queries where no other section has them. */
function headed(pages) {
  const documents = [];
  const asked = [];
  const known = new Set();
  for (const page of pages.filter((_, i) => i % 3 === 1)) {
    for (const { heading, text } of sectionsOf(page, known)) {
      const url = `http://docs.test/${documents.length}`;
      documents.push(documentOf({ url, host: 'docs', title: page.title, headings: [], text, anchors: [], boost: 1 }));
      if (words(heading).length >= 3 && heading.length < 100) asked.push({ query: heading, relevant: [url] });
    }
  }
  const found = Map.groupBy(asked, ({ query }) => plain(query));
  return { documents, queries: { headings: sample([...found.values()].flatMap((of) => (of.length === 1 ? of : []))) } };
}

/** Half of the words of a sentence in the midst of a page, of those with four letters or more: what one remembers of it. */
function remembered(pages) {
  let state = 11;
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return sample(
    pages.flatMap(({ url, text }) => {
      const sentences = text.match(/[A-Z][^\n.]{60,200}\.(?=\s)/g) ?? [];
      if (sentences.length < 3) return [];
      const sentence = sentences[1 + Math.floor(random() * (sentences.length - 1))];
      const kept = words(sentence).filter((word) => word.length > 3 && random() < 0.5);
      return kept.length > 2 ? [{ query: kept.join(' ').toLowerCase(), relevant: [url] }] : [];
    }),
  );
}

/** Sections as long as abstracts; of those with one text the first. */
function sectionsOf({ parts }, known) {
  return parts.filter(({ text }) => {
    const isTaken = text.length >= 300 && text.length <= 3_000 && !known.has(text);
    if (isTaken) known.add(text);
    return isTaken;
  });
}

/** Sections of every second page that has four or more. Their addresses say nothing. */
function sections(pages) {
  const documents = [];
  const topics = [];
  const known = new Set();
  for (const page of [...pages].filter((_, i) => i % 3 !== 1)) {
    const [line, query] = SENTENCE.exec(page.text) ?? [];
    if (query === undefined || !isQuestion({ query })) continue;
    const parts = sectionsOf(page, known);
    if (parts.length < 4) continue;
    const all = parts.slice(0, 12).map(({ heading, text }, n) => {
      const url = `http://docs.test/${documents.length + n}`;
      const content = text.replace(line, '');
      return documentOf({ url, host: 'docs', title: heading, headings: [], text: content, anchors: [], boost: 1 });
    });
    documents.push(...all);
    topics.push({ query, relevant: all.map(({ url }) => url) });
  }
  return { documents, queries: { topics: sample(topics) } };
}

const AT = Date.UTC(2026, 0, 31);

/** Documents, as INDEX makes them, and the queries over them by the name of their collection. */
export const collections = (folder) => [...collectionsOf(folder, HOSTS), ...collectionsOf(folder, OTHERS)];

function collectionsOf(folder, hosts) {
  const pages = readPages(folder, hosts);
  rank(pages);
  const queries = { links: links(pages), subjects: subjects(pages), entries: entries(pages) };
  for (const url of pages.keys()) if (INDEXES.test(url)) pages.delete(url);
  const all = [...pages.values()];
  const short = sections(all);
  const parts = headed(all);
  queries.titles = titles(pages);
  queries.remembered = remembered(all.filter((_, i) => i % 4 === 2));
  queries.purposes = sample(heldOut(all.filter(isManual), PURPOSE));
  const others = all.filter((page, i) => i % 4 === 0 && !isManual(page));
  queries.sentences = sample(heldOut(others, SENTENCE).filter(isQuestion));
  const asked = Object.entries(queries).filter(([, { length }]) => length > 0);
  return [{ documents: all.map(documentOf), queries: Object.fromEntries(asked) }, short, parts];
}

const documentOf = ({ url, host, title, headings, text, anchors, boost }) => ({
  id: url,
  url,
  boost,
  fields: new Map([
    ['title', [title]],
    ['headings', headings],
    ['anchor', anchors],
    ['content', [text]],
    ['host', [`${host}.debian.org`]],
    ['type', ['text/html']],
    ['lang', ['en']],
    ['tstamp', [AT]],
  ]),
  fieldBoosts: new Map(),
});
