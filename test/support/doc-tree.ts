/**
 * Real documentation as a web site: the HTML trees that two npm packages ship, served on loopback, and a walk over their
 * links that owes nothing to the product. The walk reads pages with parse5, resolves with the WHATWG URL parser, and applies
 * the shipped filter rules by reading their text with plain JavaScript expressions.
 */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { shippedRegexRules } from '../../src/core/url/filter-regex.js';
import { shippedSuffixRules } from '../../src/core/url/filter-suffix.js';
import { type Site, startSite } from './site.js';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const JIRA = join(MODULES, 'jira-connector/docs/jira-connector');

/** Folders by the path under which they are served: one for Phaser, one for each version of jira-connector. */
const MOUNTS: ReadonlyMap<string, string> = new Map([
  ['/phaser', join(MODULES, 'phaser/docs')],
  ...readdirSync(JIRA).map((version): [string, string] => [`/jira-connector/${version}`, join(JIRA, version)]),
]);

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.txt': 'text/plain',
};

export type Answer =
  | { readonly status: 200; readonly file: string; readonly type: string }
  | { readonly status: 301; readonly location: string }
  | { readonly status: 404 };

const NOT_FOUND: Answer = { status: 404 };

/** What the site answers to a path: a folder leads to its slash, and its slash to index.html. */
export function answerTo(path: string): Answer {
  const decoded = decode(path.split('?', 1)[0] ?? '');
  const mount = [...MOUNTS].find(([prefix]) => decoded === prefix || decoded.startsWith(`${prefix}/`));
  if (!mount || decoded.includes('\0') || decoded.split('/').includes('..')) return NOT_FOUND;
  const file = join(mount[1], decoded.slice(mount[0].length));
  if (!existsSync(file)) return NOT_FOUND;
  if (!statSync(file).isDirectory()) return fileAnswer(file);
  if (!decoded.endsWith('/')) return { status: 301, location: `${path}/` };
  return existsSync(join(file, 'index.html')) ? fileAnswer(join(file, 'index.html')) : NOT_FOUND;
}

const fileAnswer = (file: string): Answer => ({
  status: 200,
  file,
  type: TYPES[extname(file)] ?? 'application/octet-stream',
});

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
    res.writeHead(200, { 'content-type': answer.type }).end(readFileSync(answer.file));
  });
}

/** The first page of each tree. */
export const seedsOf = (site: { url: string }): string[] =>
  [...MOUNTS.keys()].map((prefix) => `${site.url}${prefix}/index.html`);

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
    const found = answer.status === 301 ? [answer.location] : answer.status === 200 ? linksOf(url, answer) : [];
    if (answer.status === 200 && answer.type.startsWith('text/html')) pages++;
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
function linksOf(url: string, { file, type }: { file: string; type: string }): string[] {
  if (!type.startsWith('text/html')) return [];
  const elements = elementsOf(readFileSync(file, 'utf8'));
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
