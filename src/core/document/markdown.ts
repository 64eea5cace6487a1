/**
 * Converts content to Markdown (CommonMark, with tables and strikethrough of GitHub Flavored Markdown).
 *
 * Markdown may contain HTML, so the text of a page must not become markup when the Markdown is rendered: characters that
 * could begin a tag, a reference or a link are escaped, code is fenced by more backticks than it contains, and links and
 * images keep only absolute http and https targets.
 *
 * Output and white space follow Turndown 7.2.5 (Dom Christie and others, MIT license), with our own rules for links,
 * images, code and tables; tests compare the two (test/core/markdown). The implementation is independent: a single
 * traversal, where Turndown reads the text below every element.
 */
import { cutText } from '../html/squeezed-text.js';
import { flanksOf } from '../markdown/flanks.js';
import { Joined, withoutLineEnds } from '../markdown/joined.js';
import { type ElementPart, partsOfElement } from '../markdown/parts.js';
import type { TreeElement } from '../tree/element.js';

/** Elements that are skipped: without text, or not visible. */
const UNREAD = new Set('script style noscript template iframe object embed svg math head'.split(' '));

/** The element as Markdown of at most `limit` characters; null where that is empty. */
export function markdownOf(content: TreeElement | null, limit: number): string | null {
  if (content === null) return null;
  const text = innerMarkdown(partsOfElement(content), false)
    .replace(/^[\t\n\r]+/, '')
    .trimEnd();
  return text === '' ? null : cutText(text, limit);
}

/** The content of an element. @param isCode it is in code, where nothing is escaped */
function innerMarkdown(whole: ElementPart, isCode: boolean): string {
  const joined = new Joined();
  const { parts } = whole;
  const budget = whole.element.ownerDocument?.budget;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    const isText = part.element === null;
    const piece = isText ? asText(part.text, isCode) : elementOf(whole, at, isCode || part.name === 'CODE');
    // Nested quotations and lists prefix each line of their content, so the text grows with the depth.
    budget?.spend(piece.length);
    joined.add(piece);
  }
  return joined.toString();
}

const asText = (text: string, isCode: boolean): string => (isCode ? text : escaped(text));

function elementOf(parent: ElementPart, at: number, isCode: boolean): string {
  const part = parent.parts[at] as ElementPart;
  if (part.isBlock) return part.isBlank ? '\n\n' : written({ part, parent, at, content: contentFor(part, isCode) });
  const { leading, trailing } = flanksOf(parent, at);
  if (part.isBlank) return leading + trailing;
  const content = contentFor(part, isCode);
  const isTrimmed = leading !== '' || trailing !== '';
  return leading + written({ part, parent, at, content: isTrimmed ? content.trim() : content }) + trailing;
}

const contentFor = (part: ElementPart, isCode: boolean): string =>
  UNREAD.has(part.element.localName) || part.name === 'PRE' ? '' : innerMarkdown(part, isCode);

interface WrittenElement {
  readonly part: ElementPart;
  readonly parent: ElementPart;
  /** Index in the parts of `parent`. */
  readonly at: number;
  readonly content: string;
}

const block = (content: string): string => `\n\n${content}\n\n`;
const marked = (content: string, mark: string): string => (content.trim() === '' ? '' : mark + content + mark);

type ElementRule = (written: WrittenElement) => string;

const heading: ElementRule = ({ part, content }) => block(`${'#'.repeat(Number(part.name[1]))} ${content}`);
const emphasis: ElementRule = ({ content }) => marked(content, '_');
const strong: ElementRule = ({ content }) => marked(content, '**');
const struck: ElementRule = ({ content }) => marked(content, '~~');
const cell: ElementRule = ({ content }) => ` ${collapsed(content)} |`;
const tablePart: ElementRule = ({ content }) => content;

const RULES: Readonly<Record<string, ElementRule>> = {
  br: () => '  \n',
  hr: () => block('---'),
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
  blockquote: ({ content }) => block(withoutLineEnds(content).replaceAll(/^/gm, '> ')),
  ul: listOf,
  ol: listOf,
  li: itemOf,
  em: emphasis,
  i: emphasis,
  strong,
  b: strong,
  del: struck,
  s: struck,
  code: ({ content }) => codeOf(content),
  pre: ({ part }) => fenceOf(part.element),
  a: ({ part, content }) => markdownLink(content, part.element),
  img: ({ part }) => pictureOf(part.element),
  th: cell,
  td: cell,
  tr: ({ part, content }) => rowOf(content, part.element),
  table: ({ content }) => block(content.trim()),
  thead: tablePart,
  tbody: tablePart,
  tfoot: tablePart,
};

function written(what: WrittenElement): string {
  const { element, isBlock } = what.part;
  if (UNREAD.has(element.localName)) return '';
  const rule = Object.hasOwn(RULES, element.localName) ? RULES[element.localName]! : null;
  if (rule !== null) return rule(what);
  return isBlock ? block(what.content) : what.content;
}

function listOf({ part, parent, content }: WrittenElement): string {
  const isLast = parent.name === 'LI' && part.element.nextElementSibling === null;
  return isLast ? `\n${content}` : block(content);
}

function itemOf({ part, parent, at, content }: WrittenElement): string {
  const isNumbered = parent.name === 'OL';
  const start = isNumbered ? parent.element.getAttribute('start') : null;
  const prefix = isNumbered ? `${(start ? Number(start) : 1) + part.index}.  ` : '-   ';
  const text = withoutLineEnds(content) + (content.endsWith('\n') ? '\n' : '');
  const isLast = at === parent.parts.length - 1;
  return prefix + text.replaceAll('\n', `\n${' '.repeat(prefix.length)}`) + (isLast ? '' : '\n');
}

/** At the start of a text these would begin a list, a heading or a quotation. */
const START = /^(?:[-=>]|\+ |#{1,6} |~~~)/;
const NUMBERED = /^(\d+)\. /;
const ANYWHERE = /[\\*`[\]_<&|]/g;

function escaped(text: string): string {
  const marks = text.replaceAll(ANYWHERE, '\\$&');
  return START.test(text) ? `\\${marks}` : marks.replace(NUMBERED, '$1\\. ');
}

const collapsed = (text: string): string => text.replaceAll(/\s{2,}|[^\S ]/g, ' ').trim();

/** A target escaped for use in brackets; null for anything but an http(s) URL. */
function targetOf(element: TreeElement, attribute: string): string | null {
  const url = URL.parse(element.getAttribute(attribute) ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replaceAll(/[()<>\\`]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function markdownLink(text: string, element: TreeElement): string {
  const target = targetOf(element, 'href');
  const words = collapsed(text);
  return target === null || words === '' ? text : `[${words}](${target})`;
}

function pictureOf(element: TreeElement): string {
  const target = targetOf(element, 'src');
  const words = escaped(collapsed(element.getAttribute('alt') ?? ''));
  return target === null ? words : `![${words}](${target})`;
}

/** Inline code, between a run of backticks that does not occur in it. */
function codeOf(content: string): string {
  if (content === '') return '';
  const code = content.replaceAll(/\r?\n|\r/g, ' ');
  const runs = new Set(code.match(/`+/g));
  let mark = '`';
  while (runs.has(mark)) mark += '`';
  const isSpaced = code.startsWith(' ') && code.endsWith(' ') && /[^ ]/.test(code);
  const space = isSpaced || code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return mark + space + code + space + mark;
}

/** Fenced code; the fence is longer than any run of backticks in it; the language only if it is a plain word. */
function fenceOf(element: TreeElement): string {
  const code = element.textContent.replace(/\n$/, '');
  const classes = [element, ...element.querySelectorAll('code')]
    .map((one) => one.getAttribute('class') ?? '')
    .join(' ');
  const language = /(?:^|\s)(?:language|lang)-([A-Za-z0-9+#.-]{1,20})(?=\s|$)/.exec(classes)?.[1] ?? '';
  const longest = (code.match(/`+/g) ?? []).reduce((max, { length }) => Math.max(max, length), 2);
  const fence = '`'.repeat(longest + 1);
  return block(`${fence}${language}\n${code}\n${fence}`);
}

/** A row of a table; the delimiter row follows the first one. */
function rowOf(cells: string, row: TreeElement): string {
  const isFirst = row.closest('table')?.querySelector('tr') === row;
  return `\n|${cells}${isFirst ? `\n|${' --- |'.repeat(row.children.length)}` : ''}`;
}
