/**
 * Converts content to Markdown (CommonMark, with tables and strikethrough of GitHub Flavored Markdown).
 *
 * Markdown may contain HTML, so the text of a page must not become markup when the Markdown is rendered: characters that
 * could begin a tag, a reference or a link are escaped, code is fenced by more backticks than it contains, and links and
 * images keep only absolute http and https targets.
 *
 * Output and white space follow Turndown 7.2.5 (Dom Christie and others, MIT license), with our own rules for links,
 * images, headings, code and tables; tests compare the two (test/core/markdown). The implementation is independent: a single
 * traversal, where Turndown reads the text below every element.
 */
import { cutText } from '../html/collapsed-text.js';
import { type Flanks, NO_FLANKS, flanksOf } from '../markdown/flanks.js';
import { Joined, withoutLineEnds } from '../markdown/joined.js';
import {
  type ContentElement,
  type ContentNode,
  contentOfElement,
  numberOf,
  preformatted,
} from '../markdown/content-tree.js';
import { columnsOfFirstRow, columnsOfRow, emptyBefore, forgetTable, spanOf } from '../markdown/table-columns.js';
import type { TreeElement } from '../tree/element.js';

/** Elements that are skipped: without text, or not visible. */
const UNREAD = new Set('script style noscript template iframe object embed svg math head'.split(' '));

/** The element as Markdown of at most `limit` characters; null where that is empty. */
export function markdownOf(content: TreeElement | null, limit: number): string | null {
  if (content === null) return null;
  try {
    const text = innerMarkdown(contentOfElement(content), OPEN)
      .replaceAll(AMBIGUOUS_START, (found, before: string) =>
        before === '!' ? '\\![' : before === '`' ? '` `' : found.slice(-1),
      )
      .replace(/^[\t\n\r]+/, '')
      .trimEnd();
    return text === '' ? null : cutText(text, limit);
  } finally {
    // Also after an error (a budget that is spent).
    forgetTable();
  }
}

/** Precedes each link and code until the text before it is known. Half of a surrogate pair, which no page has. */
const START_OF_INLINE = '\ud800';
/** A link behind `!` would be an image; code behind code, one code. */
const AMBIGUOUS_START = /(!(?=\ud800\[)|(?<!\\)`(?=\ud800`))?\ud800[`[]/g;

/** What an element is in. */
interface Context {
  /** In code, where nothing is escaped and nothing is delimited. */
  readonly isCode: boolean;
  /** In a link, a heading or a cell, whose content is one line. */
  readonly isLine: boolean;
}

const OPEN: Context = { isCode: false, isLine: false };
const LINE: Context = { isCode: false, isLine: true };
const CODE: Context = { isCode: true, isLine: true };
const LINES = new Set('TH TD H1 H2 H3 H4 H5 H6'.split(' '));

function contextIn(node: ContentElement, around: Context): Context {
  if (around.isCode || isInlineCode(node)) return CODE;
  return LINES.has(node.name) || isLink(node) ? LINE : around;
}

/** Code that contains nothing but preformatted text is written as that. */
const isInlineCode = ({ name, children, isBlank }: ContentElement): boolean =>
  name === 'CODE' &&
  (isBlank || !children.every((node) => (node.element === null ? node.text === '' : node.name === 'PRE')));

const innerMarkdown = (whole: ContentElement, context: Context): string => joinedChildren(whole, context).toString();

function joinedChildren(whole: ContentElement, context: Context): Joined {
  const joined = new Joined();
  const { children } = whole;
  const budget = whole.element.ownerDocument?.budget;
  for (let at = 0; at < children.length; at++) {
    const node = children[at]!;
    if (node.element !== null && isPlainBlock(node, context)) {
      const block = joinedChildren(node, contextIn(node, context));
      budget?.spend(block.length);
      joined.addBlock(block);
      continue;
    }
    const piece = node.element === null ? asText(node.text, context) : elementOf(whole, at, context);
    // Nested quotations and lists prefix each line of their content, so the text grows with the depth.
    budget?.spend(piece.length);
    joined.add(piece);
  }
  return joined;
}

/** Whether an element is written as its content between blank lines. */
const isPlainBlock = ({ element, isBlock, isBlank }: ContentElement, { isCode }: Context): boolean =>
  isBlock && !isBlank && !isCode && !UNREAD.has(element.localName) && !Object.hasOwn(RULES, element.localName);

const asText = (text: string, { isCode }: Context): string => (isCode ? text : escaped(text));

function elementOf(parent: ContentElement, at: number, context: Context): string {
  const node = parent.children[at] as ContentElement;
  if (node.isBlock) {
    // A blank line for a row without cells would end the table.
    if (node.isBlank) return node.name === 'TR' ? '' : '\n\n';
    return written({ node, parent, at, context, content: contentFor(node, context), flanks: NO_FLANKS });
  }
  const flanks = flanksOf(parent, at);
  const { leading, trailing } = flanks;
  if (node.isBlank) return leading + trailing;
  const content = contentFor(node, context);
  const isTrimmed = leading !== '' || trailing !== '';
  const writtenElement = { node, parent, at, context, content: isTrimmed ? content.trim() : content, flanks };
  return leading + written(writtenElement) + trailing;
}

const contentFor = (node: ContentElement, context: Context): string =>
  UNREAD.has(node.element.localName) || node.name === 'PRE' ? '' : innerMarkdown(node, contextIn(node, context));

/** References are absolute by now. */
const isLink = (node: ContentNode): node is ContentElement =>
  node.element !== null && node.name === 'A' && /^https?:/.test(node.element.getAttribute('href') ?? '');

interface WrittenElement {
  readonly node: ContentElement;
  readonly parent: ContentElement;
  /** Index in the children of `parent`. */
  readonly at: number;
  readonly content: string;
  /** The white space that moves out of it. */
  readonly flanks: Flanks;
  readonly context: Context;
}

const block = (content: string): string => `\n\n${content}\n\n`;

/** Marks hold within a paragraph only, and with no line break inside them at its ends. */
function delimited(content: string, delimiter: string): string {
  const inner = content.trim();
  if (inner === '' || content.includes('\n\n')) return content;
  const from = content.length - content.trimStart().length;
  return content.slice(0, from) + delimiter + inner + delimiter + content.slice(from + inner.length);
}

type ElementRule = (written: WrittenElement) => string;

const emphasis: ElementRule = (written) => delimited(written.content, isInWord(written) ? '*' : '_');
const strong: ElementRule = ({ content }) => delimited(content, '**');
const struck: ElementRule = ({ content }) => delimited(content, '~~');
const tableSection: ElementRule = ({ content }) => content;

const RULES: Readonly<Record<string, ElementRule>> = {
  br: () => '  \n',
  hr: () => block('---'),
  h1: headingOf,
  h2: headingOf,
  h3: headingOf,
  h4: headingOf,
  h5: headingOf,
  h6: headingOf,
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
  code: ({ node, content }) => (isInlineCode(node) ? inlineCode(node, content) : content),
  pre: preOf,
  a: ({ node, content }) => markdownLink(content, node.element),
  img: ({ node }) => pictureOf(node.element),
  th: cellOf,
  td: cellOf,
  tr: ({ node, content, context }) => (context.isLine ? `\n${content}` : rowOf(content, node.element)),
  table: ({ content }) => block(content.trim()),
  caption: ({ content }) => block(content),
  thead: tableSection,
  tbody: tableSection,
  tfoot: tableSection,
};

function written(writtenElement: WrittenElement): string {
  const { element, isBlock } = writtenElement.node;
  if (UNREAD.has(element.localName)) return '';
  if (writtenElement.context.isCode) return inCode(writtenElement);
  const rule = Object.hasOwn(RULES, element.localName) ? RULES[element.localName]! : null;
  if (rule !== null) return rule(writtenElement);
  return isBlock ? block(writtenElement.content) : writtenElement.content;
}

/** The text of an element alone. */
function inCode({ node: { element, name, isBlock }, content }: WrittenElement): string {
  if (name === 'BR') return '\n';
  if (name === 'IMG') return element.getAttribute('alt') ?? '';
  const text = name === 'PRE' ? preformatted(element) : content;
  return isBlock ? block(text) : text;
}

function headingOf({ node, content, context }: WrittenElement): string {
  const line = collapsed(content);
  if (line === '') return '';
  return block(context.isLine ? line : `${'#'.repeat(Number(node.name[1]))} ${line}`);
}

const isList = (name: string): boolean => name === 'UL' || name === 'OL';

function listOf({ node, parent, content }: WrittenElement): string {
  // Many pages have a nested list beside its item instead of in it.
  if (isList(parent.name) && node.index > 0) {
    // Up to three blanks more than the text of the item has still make it part of that.
    const indent = parent.name === 'OL' ? '      ' : '    ';
    return `\n${withoutLineEnds(content).replaceAll(/^(?=.)/gm, indent)}\n`;
  }
  const isLast = parent.name === 'LI' && node.element.nextElementSibling === null;
  return isLast ? `\n${content}` : block(content);
}

function itemOf({ node, parent, at, content }: WrittenElement): string {
  const prefix = parent.name === 'OL' ? `${numberOf(node, parent)}.  ` : '-   ';
  const text = withoutLineEnds(content) + (content.endsWith('\n') ? '\n' : '');
  const isLast = at === parent.children.length - 1;
  return prefix + text.replaceAll('\n', `\n${' '.repeat(prefix.length)}`) + (isLast ? '' : '\n');
}

/** A letter, digit or combining mark at the end, or the start, of a text. */
const ENDS_IN_WORD = /[\p{L}\p{M}\p{N}]$/u;
const STARTS_IN_WORD = /^[\p{L}\p{M}\p{N}]/u;

/** Whether the delimiters of an element touch a word at one of its ends. */
function isInWord({ parent, at, flanks }: WrittenElement): boolean {
  const [before, after] = [parent.children[at - 1], parent.children[at + 1]];
  return (
    (flanks.leading === '' && before?.element === null && ENDS_IN_WORD.test(before.text.slice(-2))) ||
    (flanks.trailing === '' && after?.element === null && STARTS_IN_WORD.test(after.text))
  );
}

/** At the start of a text these would begin a list, a heading or a quotation. */
const START = /^(?:[-=>]|(?:\+|#{1,6})(?: |$))/;
const NUMBERED = /^(\d+)([.)])(?= |$)/;
/** Runs of `_` between letters or digits are no markup (CommonMark 6.2): names in code are full of them. */
const ANYWHERE = /((?<=[\p{L}\p{M}\p{N}])_+(?=[\p{L}\p{M}\p{N}]))|[\\*`[\]_<&|]|~(?=~)|(?<=~)~/gu;

function escaped(text: string): string {
  const inner = text.replaceAll(ANYWHERE, (match, inWord: string | undefined) => inWord ?? `\\${match}`);
  return START.test(text) ? `\\${inner}` : inner.replace(NUMBERED, '$1\\$2');
}

const collapsed = (text: string): string => text.replaceAll(/\s{2,}|[^\S ]/g, ' ').trim();

/** A target escaped for use in brackets and in cells; null for anything but an http(s) URL. */
function targetOf(element: TreeElement, attribute: string): string | null {
  const url = URL.parse(element.getAttribute(attribute) ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replaceAll(/[()<>\\`|]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function markdownLink(text: string, element: TreeElement): string {
  const target = targetOf(element, 'href');
  const words = collapsed(text);
  return target === null || words === '' ? text : `${START_OF_INLINE}[${words}](${target})`;
}

function pictureOf(element: TreeElement): string {
  const target = targetOf(element, 'src');
  const words = escaped(collapsed(element.getAttribute('alt') ?? ''));
  return target === null ? words : `![${words}](${target})`;
}

/** Code has no delimiters in it, so a link stands between the code before and behind it. */
function inlineCode(code: ContentElement, content: string): string {
  if (!code.children.some(isLink)) return codeOf(content);
  const pieces: string[] = [''];
  for (const [at, node] of code.children.entries()) {
    if (isLink(node)) {
      const { leading, trailing } = flanksOf(code, at);
      pieces[pieces.length - 1] += leading;
      pieces.push(markdownLink(codeOf(innerMarkdown(node, CODE).trim()), node.element), trailing);
    } else pieces[pieces.length - 1] += node.element === null ? node.text : elementOf(code, at, CODE);
  }
  pieces[0] = pieces[0]!.trimStart();
  pieces.push(pieces.pop()!.trimEnd());
  return pieces.map((piece, at) => (at % 2 === 1 || piece.trim() === '' ? piece : codeOf(piece))).join('');
}

/** Inline code, between a run of backticks that does not occur in it. */
function codeOf(content: string): string {
  if (content === '') return '';
  const code = content.replaceAll(/\r?\n|\r/g, ' ');
  const runs = new Set(code.match(/`+/g));
  let delimiter = '`';
  while (runs.has(delimiter)) delimiter += '`';
  const isSpaced = code.startsWith(' ') && code.endsWith(' ') && /[^ ]/.test(code);
  const space = isSpaced || code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  return START_OF_INLINE + delimiter + space + code + space + delimiter;
}

/**
 * Fenced code, and in a line inline code. The fence is longer than any run of backticks in it; the language is written
 * only if it is a plain word.
 */
function preOf({ node: { element }, context }: WrittenElement): string {
  const code = preformatted(element).replace(/\n$/, '');
  if (context.isLine) return codeOf(code);
  const classes = [element, ...element.querySelectorAll('code')]
    .map((candidate) => candidate.getAttribute('class') ?? '')
    .join(' ');
  const language = /(?:^|\s)(?:language|lang)-([A-Za-z0-9+#.-]{1,20})(?=\s|$)/.exec(classes)?.[1] ?? '';
  const longest = (code.match(/`+/g) ?? []).reduce((max, { length }) => Math.max(max, length), 2);
  const fence = '`'.repeat(longest + 1);
  return block(`${fence}${language}\n${code}\n${fence}`);
}

/** A cell; in a line, where a table in a table is, only its text. */
function cellOf({ node, content, context }: WrittenElement): string {
  const line = collapsed(content);
  if (context.isLine) return `${line} `;
  const before = EMPTY_CELL.repeat(emptyBefore(node.element));
  const others = EMPTY_CELL.repeat(spanOf(node.element) - 1);
  if (!line.includes('|')) return `${before} ${line} |${others}`;
  // Also in code a separator of cells is escaped; in text it is already.
  return `${before} ${line.replaceAll(/\\[^]|\|/g, (match) => (match === '|' ? '\\|' : match))} |${others}`;
}

const EMPTY_CELL = '  |';

/** A row of a table; the delimiter row follows the first one, which is filled up: rows may not have more cells than it. */
function rowOf(cells: string, row: TreeElement): string {
  if (cells === '') return '';
  const columns = columnsOfFirstRow(row);
  if (columns === null) return `\n|${cells}`;
  return `\n|${cells}${EMPTY_CELL.repeat(columns - columnsOfRow(row))}\n|${' --- |'.repeat(columns)}`;
}
