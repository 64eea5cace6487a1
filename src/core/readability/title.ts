/** The title of a page without the name of its site, and whether meta elements name an author. */
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement } from '../tree/element.js';

const wordCount = (text: string): number => text.split(/\s+/).length;
const collapsed = (text: string): string => text.trim().replaceAll(/\s{2,}/g, ' ');

/** Values of meta elements, by names in lower case. */
function metaValues(metas: readonly TreeElement[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const meta of metas) {
    const content = meta.getAttribute('content');
    if (!content) continue;
    const [property] = PROPERTY.exec(meta.getAttribute('property') ?? '') ?? [];
    const name = meta.getAttribute('name') ?? '';
    if (property !== undefined) values.set(property.toLowerCase().replaceAll(/\s/g, ''), content.trim());
    else if (NAME.test(name)) values.set(name.toLowerCase().replaceAll(/\s/g, '').replaceAll('.', ':'), content.trim());
  }
  return values;
}

const PROPERTY =
  /(?:article|dc|dcterm|og|twitter)\s*:\s*(?:author|creator|description|published_time|title|site_name)/i;
const NAME =
  /^\s*(?:(?:dc|dcterm|og|twitter|parsely|weibo:(?:article|webpage))\s*[-.:]\s*)?(?:author|creator|pub-date|description|title|site_name)\s*$/i;
const TITLES =
  'dc:title dcterm:title og:title weibo:article:title weibo:webpage:title title twitter:title parsely-title'.split(' ');
const AUTHORS = ['dc:creator', 'dcterm:creator', 'author', 'parsely-author'];

export interface About {
  readonly title: string;
  readonly hasAuthor: boolean;
}

export function aboutPage(document: TreeDocument, metas: readonly TreeElement[]): About {
  const values = metaValues(metas);
  const named = TITLES.map((name) => values.get(name)).find((value) => value);
  const author = values.get('article:author');
  const hasAuthor = AUTHORS.some((name) => values.get(name)) || (!!author && !URL.canParse(author));
  return { title: unescaped(named ?? titleOf(document)), hasAuthor };
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Decodes character references once more, as meta elements are often escaped twice. */
function unescaped(text: string): string {
  return text
    .replaceAll(/&(quot|amp|apos|lt|gt);/g, (_, name: string) => NAMED[name]!)
    .replaceAll(/&#(?:x([0-9a-f]+)|([0-9]+));/gi, (_, hex: string | undefined, digits: string) => {
      const code = hex ? parseInt(hex, 16) : parseInt(digits, 10);
      const isNone = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
      return String.fromCodePoint(isNone ? 0xfffd : code);
    });
}

function titleOf(document: TreeDocument): string {
  const whole = document.title.trim();
  const [main, isHierarchy] = mainTitle(whole, document);
  const title = collapsed(main);
  const words = wordCount(title);
  // A short main title is used only if it is one level of a hierarchy.
  const isOneLess = words === wordCount(whole.replaceAll(/[|\-\\/>»]+/g, '')) - 1;
  return words <= 4 && !(isHierarchy && isOneLess) ? whole : title;
}

/** What of a title names the page, and whether the rest is a hierarchy. */
function mainTitle(whole: string, document: TreeDocument): [string, boolean] {
  const last = [...whole.matchAll(/ [|\-\\/>»] /g)].at(-1);
  if (last !== undefined) {
    const before = whole.slice(0, last.index);
    const main = wordCount(before) < 3 ? whole.replace(/^[^|\-\\/>»]*[|\-\\/>»]/, '') : before;
    return [main, / [\\/>»] /.test(whole)];
  }
  if (whole.includes(': ')) return [afterColon(whole, document), false];
  if (whole.length > 150 || whole.length < 15) {
    const headings = document.getElementsByTagName('h1');
    if (headings.length === 1) return [collapsed(headings[0]!.textContent), false];
  }
  return [whole, false];
}

function afterColon(whole: string, document: TreeDocument): string {
  const headings = document.querySelectorAll('h1,h2');
  if (headings.some(({ textContent }) => textContent.trim() === whole)) return whole;
  const afterLast = whole.slice(whole.lastIndexOf(':') + 1);
  const first = whole.indexOf(':');
  if (wordCount(afterLast) < 3) return whole.slice(first + 1);
  return wordCount(whole.slice(0, first)) > 5 ? whole : afterLast;
}

const lowerWords = (text: string): string[] => text.toLowerCase().split(/\W+/).filter(Boolean);

/** A test for headings that repeat a title. */
export function likeTitle(title: string): (heading: string) => boolean {
  const known = new Set(lowerWords(title));
  if (known.size === 0) return () => false;
  return (heading) => {
    const words = lowerWords(heading);
    if (words.length === 0) return false;
    const others = words.filter((word) => !known.has(word));
    return 1 - others.join(' ').length / words.join(' ').length > 0.75;
  };
}
