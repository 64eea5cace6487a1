/**
 * Finds the pages of a folder that are reachable from its first page, by a walk over the files with parse5, a parser that the
 * product's crawl does not use, so that a crawl is checked against an independent implementation.
 *
 * The walk follows `a`, `area`, `frame` and `iframe`, and refreshes by `meta`, within the host and without query strings. A
 * page is a file, whatever its URLs; `/folder/` is its index page, and nginx redirects `/folder` there.
 */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'parse5';

const HREF = { a: 'href', area: 'href', frame: 'src', iframe: 'src' };
const HTML = /\.x?html?$/i;
const ORIGIN = 'http://host.test';

/** Links of a page as written, and its base. */
function linksOf(html) {
  const links = [];
  let base;
  const stack = [parse(html)];
  while (stack.length > 0) {
    const node = stack.pop();
    const attribute = (name) => node.attrs.find((one) => one.name === name)?.value;
    const target = HREF[node.nodeName] && attribute(HREF[node.nodeName]);
    if (target) links.push(target);
    else if (node.nodeName === 'base') base ??= attribute('href');
    else if (node.nodeName === 'meta' && /^refresh$/i.test(attribute('http-equiv') ?? '')) {
      const refresh = /url\s*=\s*["']?([^"']+)/i.exec(attribute('content') ?? '');
      if (refresh) links.push(refresh[1]);
    }
    if (node.content) stack.push(node.content);
    if (node.childNodes) for (const child of node.childNodes) stack.push(child);
  }
  return { links, base };
}

/** The file of a URL path, as in nginx: a path below the root, or undefined. */
export function fileOf(root, pathname) {
  let path;
  try {
    path = decodeURIComponent(pathname).replace(/\/+/g, '/');
  } catch {
    return undefined;
  }
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found?.isFile()) return path;
  if (!found?.isDirectory()) return undefined;
  return ['index.html', 'index.htm']
    .map((name) => `${path.replace(/\/$/, '')}/${name}`)
    .find((index) => statSync(join(root, index), { throwIfNoEntry: false })?.isFile());
}

function resolve(href, base) {
  try {
    return new URL(href, base);
  } catch {
    return undefined;
  }
}

/**
 * `reached`: sorted paths of the reachable pages; `pages`: number of all pages; `bytes` of the reachable ones; `missing`:
 * broken links.
 */
export function walk(root) {
  const first = fileOf(root, '/');
  const seen = new Set([first]);
  const files = new Map();
  const queue = [[first, '/']];
  const missing = new Set();
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [file, path] = next;
    if (!HTML.test(file)) continue;
    const { links, base } = linksOf(readFileSync(join(root, file), 'utf8'));
    const at = resolve(base ?? path, ORIGIN + path) ?? ORIGIN + path;
    for (const href of new Set(links.map((link) => link.trim().replace(/#.*/s, '')))) {
      const url = resolve(href, at);
      if (url?.origin !== ORIGIN || url.search !== '') continue;
      if (!files.has(url.pathname)) files.set(url.pathname, fileOf(root, url.pathname));
      const target = files.get(url.pathname);
      if (target === undefined) missing.add(url.pathname);
      else if (!seen.has(target)) {
        seen.add(target);
        queue.push([target, url.pathname]);
      }
    }
  }
  const reached = [...seen].filter((path) => HTML.test(path)).sort();
  return {
    reached,
    pages: readdirSync(root, { recursive: true }).filter((name) => HTML.test(name)).length,
    bytes: reached.reduce((sum, path) => sum + statSync(join(root, path)).size, 0),
    texts: seen.size - reached.length,
    missing: missing.size,
  };
}
