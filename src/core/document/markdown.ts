/**
 * Content as Markdown (CommonMark, tables and struck words as GitHub writes them).
 *
 * Markdown may hold HTML, so what a page says as text must not become markup where the Markdown is shown: what could begin a
 * tag, a reference or a link is escaped, code is fenced by more backticks than it holds, and links and pictures keep
 * absolute targets of http and https only.
 */
import TurndownService from 'turndown';
import { cutText } from '../html/squeezed-text.js';
import type { TreeElement } from '../tree/element.js';

/** Elements that are not read: what is not text, and what a reader does not see. */
const UNREAD = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'svg', 'math', 'head'];

/** The element and what is in it as Markdown of at most `limit` characters; null for none. */
export function markdownOf(content: TreeElement | null, limit: number): string | null {
  if (content === null) return null;
  const text = converter.turndown(content as unknown as HTMLElement);
  return text === '' ? null : cutText(text, limit);
}

/** The tree has what Turndown asks for, and no more of the DOM. */
const elementOf = (node: unknown): TreeElement => node as TreeElement;

const converter = makeConverter();

function makeConverter(): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  const escape = service.escape.bind(service);
  service.escape = (text) => escape(text).replaceAll(/[<&|]/g, '\\$&');
  service.remove(UNREAD as (keyof HTMLElementTagNameMap)[]);
  service.addRule('link', { filter: 'a', replacement: (text, node) => linkOf(text, elementOf(node)) });
  service.addRule('picture', { filter: 'img', replacement: (_, node) => pictureOf(service, elementOf(node)) });
  service.addRule('fence', { filter: 'pre', replacement: (_, node) => fenceOf(elementOf(node)) });
  service.addRule('struck', { filter: ['del', 's'], replacement: (text) => (text.trim() === '' ? '' : `~~${text}~~`) });
  service.addRule('cell', { filter: ['th', 'td'], replacement: (text) => ` ${oneLine(text)} |` });
  service.addRule('row', { filter: 'tr', replacement: (cells, node) => rowOf(cells, elementOf(node)) });
  service.addRule('table', { filter: 'table', replacement: (rows) => `\n\n${rows.trim()}\n\n` });
  service.addRule('tableParts', { filter: ['thead', 'tbody', 'tfoot'], replacement: (rows) => rows });
  return service;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A target that may stand between brackets; null for what is no web address. */
function targetOf(element: TreeElement, attribute: string): string | null {
  const url = URL.parse(element.getAttribute(attribute) ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replaceAll(/[()<>\\`]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function linkOf(text: string, element: TreeElement): string {
  const target = targetOf(element, 'href');
  const words = oneLine(text);
  return target === null || words === '' ? text : `[${words}](${target})`;
}

function pictureOf(service: TurndownService, element: TreeElement): string {
  const target = targetOf(element, 'src');
  const words = service.escape(oneLine(element.getAttribute('alt') ?? ''));
  return target === null ? words : `![${words}](${target})`;
}

/** Code in a fence that is longer than any run of backticks in it; the language only where it is a plain word. */
function fenceOf(element: TreeElement): string {
  const code = (element.textContent ?? '').replace(/\n$/, '');
  const classes = [element, ...element.querySelectorAll('code')]
    .map((one) => one.getAttribute('class') ?? '')
    .join(' ');
  const language = /(?:^|\s)(?:language|lang)-([A-Za-z0-9+#.-]{1,20})(?=\s|$)/.exec(classes)?.[1] ?? '';
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** A row of a table; behind the first one the line that makes it a head. */
function rowOf(cells: string, row: TreeElement): string {
  const isFirst = row.closest('table')?.querySelector('tr') === row;
  return `\n|${cells}${isFirst ? `\n|${' --- |'.repeat(row.children.length)}` : ''}`;
}
