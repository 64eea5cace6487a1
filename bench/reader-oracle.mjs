/**
 * Main content and Markdown by Readability and Turndown, with which ours are compared: on the tree of jsdom, or on our own, which
 * has the required interfaces.
 */
import { Readability } from '@mozilla/readability';
import TurndownService from 'turndown';

const MAX_ELEMENTS = 200_000;

/** The element with the main content; null for none. Modifies the page. */
export function oracleContent(document) {
  if (document.body === null || document.getElementsByTagName('*').length > MAX_ELEMENTS) return null;
  const options = { serializer: (node) => node, keepClasses: true, disableJSONLD: true };
  return new Readability(document, options).parse()?.content ?? null;
}

/** The element with its content as Markdown. */
export const oracleMarkdown = (content) => converter.turndown(content);

const UNREAD = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'svg', 'math', 'head'];
const converter = makeConverter();

function makeConverter() {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  const escape = service.escape.bind(service);
  service.escape = (text) => escape(text).replaceAll(/[<&|]/g, '\\$&');
  service.remove(UNREAD);
  service.addRule('link', { filter: 'a', replacement: linkOf });
  service.addRule('picture', { filter: 'img', replacement: (_, node) => pictureOf(service, node) });
  service.addRule('fence', { filter: 'pre', replacement: (_, node) => fenceOf(node) });
  service.addRule('struck', { filter: ['del', 's'], replacement: (text) => (text.trim() === '' ? '' : `~~${text}~~`) });
  service.addRule('cell', { filter: ['th', 'td'], replacement: (text) => ` ${oneLine(text)} |` });
  service.addRule('row', { filter: 'tr', replacement: rowOf });
  service.addRule('table', { filter: 'table', replacement: (rows) => `\n\n${rows.trim()}\n\n` });
  service.addRule('tableParts', { filter: ['thead', 'tbody', 'tfoot'], replacement: (rows) => rows });
  return service;
}

const oneLine = (text) => text.replaceAll(/\s+/g, ' ').trim();

function targetOf(element, attribute) {
  const url = URL.parse(element.getAttribute(attribute) ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replaceAll(/[()<>\\`]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function linkOf(text, element) {
  const target = targetOf(element, 'href');
  const words = oneLine(text);
  return target === null || words === '' ? text : `[${words}](${target})`;
}

function pictureOf(service, element) {
  const target = targetOf(element, 'src');
  const words = service.escape(oneLine(element.getAttribute('alt') ?? ''));
  return target === null ? words : `![${words}](${target})`;
}

function fenceOf(element) {
  const code = element.textContent.replace(/\n$/, '');
  const classes = [element, ...element.querySelectorAll('code')]
    .map((one) => one.getAttribute('class') ?? '')
    .join(' ');
  const language = /(?:^|\s)(?:language|lang)-([A-Za-z0-9+#.-]{1,20})(?=\s|$)/.exec(classes)?.[1] ?? '';
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

function rowOf(cells, row) {
  const isFirst = row.closest('table')?.querySelector('tr') === row;
  return `\n|${cells}${isFirst ? `\n|${' --- |'.repeat(row.children.length)}` : ''}`;
}
