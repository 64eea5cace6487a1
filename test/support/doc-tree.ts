/**
 * Documentation as a web site: the trees of bench/doc-tree, served on loopback, and a walk over their links that owes nothing
 * to the product. The walk reads pages with parse5, resolves with the WHATWG URL parser, and applies the shipped filter rules by
 * reading their text with plain JavaScript expressions.
 */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { type DocPage, TREES, makeDocTrees } from '../../bench/doc-tree/trees.mjs';
import { shippedRegexRules } from '../../src/core/url/filter-regex.js';
import { shippedSuffixRules } from '../../src/core/url/filter-suffix.js';
import { type Site, startSite } from './site.js';

const PAGES = makeDocTrees();

export type Answer =
  | { readonly status: 200; readonly page: DocPage }
  | { readonly status: 301; readonly location: string }
  | { readonly status: 404 };

/** What the site answers to a path: a folder leads to its slash, and its slash to index.html. */
export function answerTo(path: string): Answer {
  const decoded = decode(path.split('?', 1)[0] ?? '');
  const page = PAGES.get(decoded.endsWith('/') ? `${decoded}index.html` : decoded);
  if (page) return { status: 200, page };
  return PAGES.has(`${decoded}/index.html`) ? { status: 301, location: `${path}/` } : { status: 404 };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Serves the trees. */
export function startDocTree(): Promise<Site> {
  return startSite((req, res) => {
    const answer = answerTo(req.url ?? '/');
    if (answer.status === 404) return void res.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
    if (answer.status === 301) return void res.writeHead(301, { location: answer.location }).end();
    res.writeHead(200, { 'content-type': answer.page.type }).end(answer.page.bytes);
  });
}

/** The first page of each tree. */
export const seedsOf = (site: { url: string }): string[] => TREES.map((folder) => `${site.url}${folder}/index.html`);

export interface Walk {
  /** Every URL that is asked for, in the order of the walk. */
  readonly urls: readonly string[];
  /** How many of them are HTML pages. */
  readonly pages: number;
}

/** Follows links from the seeds, breadth first, until none is new; stays on the host of the seeds. */
export function walkLinks(seeds: readonly string[]): Walk {
  const host = new URL(seeds[0]!).hostname;
  const urls = seeds.flatMap((seed) => admitted(seed, seed, host));
  const seen = new Set(urls);
  let pages = 0;
  for (const url of urls) {
    const { pathname, search } = new URL(url);
    const answer = answerTo(pathname + search);
    const found = answer.status === 301 ? [answer.location] : answer.status === 200 ? linksOf(url, answer.page) : [];
    if (answer.status === 200) pages++;
    for (const next of found.flatMap((reference) => admitted(reference, url, host))) {
      if (seen.has(next)) continue;
      seen.add(next);
      urls.push(next);
    }
  }
  return { urls, pages };
}

/** Elements whose links are followed, with their attributes. */
const LINKS = {
  a: 'href',
  area: 'href',
  link: 'href',
  frame: 'src',
  iframe: 'src',
  img: 'src',
  script: 'src',
  source: 'src',
};

/** Elements of a page, by tag; what templates hold is not among them. */
function elementsOf(html: string): Map<string, Attributes[]> {
  const found = new Map<string, Attributes[]>();
  const open: DefaultTreeAdapterTypes.Node[] = [parse(html)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('tagName' in node) {
      const same = found.get(node.tagName) ?? [];
      same.push(new Map(node.attrs.map(({ name, value }) => [name, value])));
      found.set(node.tagName, same);
    }
    if ('childNodes' in node) open.push(...node.childNodes.toReversed());
  }
  return found;
}

type Attributes = ReadonlyMap<string, string>;

/** The references of a page, made absolute. */
function linksOf(url: string, { html }: DocPage): string[] {
  const elements = elementsOf(html);
  const robots = elements.get('meta')?.filter((meta) => meta.get('name')?.toLowerCase() === 'robots');
  if (robots?.some((meta) => /\b(?:nofollow|none)\b/i.test(meta.get('content') ?? ''))) return [];
  const baseHref = elements
    .get('base')
    ?.find((base) => base.has('href'))
    ?.get('href');
  const base = URL.parse(baseHref ?? '', url)?.href ?? url;
  return Object.entries(LINKS).flatMap(([tag, attribute]) =>
    (elements.get(tag) ?? [])
      .filter((element) => !/\bnofollow\b/i.test(element.get('rel') ?? ''))
      .flatMap((element) => URL.parse(element.get(attribute) ?? '#', base)?.href ?? []),
  );
}

/** The URL as it is stored, when scheme, host and filters let it in: none or one. */
function admitted(reference: string, base: string, host: string): string[] {
  const url = URL.parse(reference, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname !== host) return [];
  const plain = normal(url);
  return plain.length <= 4_096 && passes(plain) ? [plain] : [];
}

/** Without fragment; slashes folded; no `?`, `&` or `.` at the end; escapes only where they are needed. */
function normal(url: URL): string {
  const path = url.pathname.replaceAll(/\/{2,}/g, '/').replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
  return `${url.origin}${path}${url.search}`.replace(/[?&.]$/, '');
}

const regexRules = shippedRegexRules.split('\n').map((line) => {
  const text = line.slice(1);
  return {
    accept: line.startsWith('+'),
    found: new RegExp(text.replace('(?i)', ''), text.includes('(?i)') ? 'i' : ''),
  };
});
const suffixes = shippedSuffixRules.split('\n').filter((line) => line.startsWith('.'));

function passes(url: string): boolean {
  const path = new URL(url).pathname.toLowerCase();
  if (suffixes.some((suffix) => path.endsWith(suffix))) return false;
  return regexRules.find(({ found }) => found.test(url))?.accept ?? false;
}
