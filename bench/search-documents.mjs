/**
 * Documents for the search benchmark, from pages of Debian's documentation (corpus.mjs): whole pages, or their sections from one
 * heading to the next, which are as long as the pages of most sites.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import { corpusIn } from './corpus.mjs';

const HEADING = /^h[1-4]$/;
const SILENT = new Set(['script', 'style', 'noscript', 'template']);
const BLOCK = /^(?:p|div|li|ul|ol|table|tr|td|th|pre|br|dl|dt|dd|section|article|h\d)$/;
const MIN_SECTION = 200;

/** Title, links and parts of a page: each part is a heading and the text below it. */
export function partsOf(html) {
  const page = { title: '', parts: [{ heading: '', text: '' }], links: [] };
  let link = null;
  let silent = 0;
  let into = 'text';
  const parser = new Parser({
    onopentag(name, { href }) {
      if (name === 'a' && href) page.links.push((link = { href, text: '' }));
      if (SILENT.has(name)) silent++;
      if (name === 'title' && page.title === '') into = 'title';
      if (HEADING.test(name)) {
        page.parts.push({ heading: '', text: '' });
        into = 'heading';
      }
      if (BLOCK.test(name)) page.parts.at(-1).text += '\n';
    },
    ontext(text) {
      if (silent > 0) return;
      if (link) link.text += text;
      if (into === 'title') page.title += text;
      else page.parts.at(-1)[into] += text;
    },
    onclosetag(name) {
      if (name === 'a') link = null;
      if (SILENT.has(name)) silent--;
      if (name === 'title' || HEADING.test(name)) into = 'text';
    },
  });
  parser.write(html);
  parser.end();
  return page;
}

export const clean = (text) =>
  text
    .replaceAll(/[ \t\r\f]+/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();

const documentOf = ({ id, url, title, headings, content, at }) => ({
  id,
  url,
  boost: 1,
  fields: new Map([
    ['title', [title]],
    ['headings', headings],
    ['content', [content]],
    ['lang', ['en']],
    ['type', ['text/html', 'text', 'html']],
    ['tstamp', [at]],
  ]),
  fieldBoosts: new Map(),
});

/** @returns {Generator<object>} IndexDocuments in the order of their pages */
export function* documents(folder, { sections, max = Infinity }) {
  const { hosts, truth } = corpusIn(folder, 80);
  const roots = new Map(hosts.map(({ address, root }) => [address, root]));
  const names = new Map(hosts.map(({ address, root }) => [address, root.split('/').at(-1)]));
  let count = 0;
  for (const { address, path } of truth) {
    if (!/\.x?html?$/i.test(path)) continue;
    const page = partsOf(readFileSync(join(roots.get(address), path), 'utf8'));
    for (const document of sections
      ? sectionsOf(page, names.get(address), path)
      : [whole(page, names.get(address), path)]) {
      yield document;
      if (++count >= max) return;
    }
  }
}

const AT = Date.UTC(2026, 0, 31);
const idOf = (host, path) => ({
  id: `org.debian.${host}:http${path}`,
  url: `http://${host}.debian.org${path}`,
  at: AT,
});

function whole({ title, parts }, host, path) {
  const headings = parts.map(({ heading }) => clean(heading)).filter((heading) => heading !== '');
  const content = clean(parts.map(({ heading, text }) => `${heading}\n${text}`).join('\n'));
  return documentOf({ ...idOf(host, path), title: clean(title), headings, content });
}

function sectionsOf({ title, parts }, host, path) {
  return parts.flatMap(({ heading, text }, n) => {
    const content = clean(`${heading}\n${text}`);
    const own = n === 0 ? clean(title) : clean(heading);
    if (content.length < MIN_SECTION && n > 0) return [];
    return [documentOf({ ...idOf(host, `${path}#${n}`), title: own, headings: [clean(title)], content })];
  });
}
