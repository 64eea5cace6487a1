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
export const oracleMarkdown = (content) =>
  converter
    .turndown(content)
    .replaceAll('!\ue000[', '\\![')
    .replaceAll(/(?<!\\)`\ue000`/g, '` `')
    .replaceAll('\ue000', '')
    .trimEnd();

const UNREAD = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'svg', 'math', 'head'];
const converter = makeConverter();

function makeConverter() {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
    blankReplacement: (_, node) => (node.isBlock && node.nodeName !== 'TR' ? '\n\n' : ''),
  });
  const { list, listItem, code, emphasis, strong, heading } = service.options.rules;
  const escape = service.escape.bind(service);
  service.escape = (text) => withMissing(withoutNeedless(escape(text).replaceAll(/[<&|]/g, '\\$&')));
  service.remove(UNREAD);
  service.addRule('link', { filter: 'a', replacement: linkOf });
  service.addRule('picture', { filter: 'img', replacement: (_, node) => pictureOf(service, node) });
  const inlineCode = (text) => (text === '' ? '' : `\ue000${code.replacement(text)}`);
  service.addRule('fence', {
    filter: 'pre',
    replacement: (_, node) => (isInLine(node) ? inlineCode(linesOf(node).text.replace(/\n$/, '')) : fenceOf(node)),
  });
  service.addRule('cell', {
    filter: ['th', 'td'],
    replacement: (text, node) =>
      isInLine(node) ? `${oneLine(text)} ` : ` ${separated(oneLine(text))} |${'  |'.repeat(spanOf(node) - 1)}`,
  });
  service.addRule('row', {
    filter: 'tr',
    replacement: (text, node) => (isInLine(node) ? `\n${text}` : rowOf(text, node)),
  });
  service.addRule('table', { filter: 'table', replacement: (rows) => `\n\n${rows.trim()}\n\n` });
  service.addRule('tableParts', { filter: ['thead', 'tbody', 'tfoot'], replacement: (rows) => rows });
  service.addRule('caption', { filter: 'caption', replacement: (text) => `\n\n${text}\n\n` });
  service.addRule('list', {
    filter: ['ul', 'ol'],
    replacement: (text, node) =>
      isBesideItem(node)
        ? `\n${text.replaceAll(/^\n+|\n+$/g, '').replaceAll(/^(?=.)/gm, node.parentNode.nodeName === 'OL' ? '      ' : '    ')}\n`
        : list.replacement(text, node),
  });
  service.addRule('item', {
    filter: 'li',
    replacement: (text, node, options) => listItem.replacement(text, withStart(node), options),
  });
  service.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (text, node, options) => {
      if (oneLine(text) === '') return '';
      return isInLine(node) ? `\n\n${oneLine(text)}\n\n` : heading.replacement(oneLine(text), node, options);
    },
  });
  service.addRule('paragraphs', {
    filter: (node) => ['EM', 'I', 'STRONG', 'B', 'DEL', 'S'].includes(node.nodeName),
    replacement: (text, node, options) => {
      const inner = text.trim();
      if (text.includes('\n\n') || inner === '') return text;
      return text.replace(inner, () => {
        if (['DEL', 'S'].includes(node.nodeName)) return `~~${inner}~~`;
        if (!['EM', 'I'].includes(node.nodeName)) return strong.replacement(inner, node, options);
        return emphasis.replacement(inner, node, { ...options, emDelimiter: isInWord(node) ? '*' : '_' });
      });
    },
  });
  service.addRule('code', {
    filter: ({ nodeName }) => nodeName === 'CODE',
    replacement: (text, node) => (isInCode(node) ? text : besideLinks(text, inlineCode)),
  });
  service.addRule('fenceInCode', { filter: hasFenceOnly, replacement: (text) => text });
  service.addRule('inCode', {
    filter: (node) => isInCode(node) && !UNREAD.includes(node.nodeName.toLowerCase()),
    replacement: (text, node) => {
      if (node.nodeName === 'BR') return '\n';
      if (node.nodeName === 'IMG') return node.getAttribute('alt') ?? '';
      if (isLinkOfCode(node)) return `\u0001${text}\u0002${targetOf(node, 'href')}\u0001`;
      const plain = node.nodeName === 'PRE' ? linesOf(node).text : text;
      return node.isBlock ? `\n\n${plain}\n\n` : plain;
    },
  });
  return service;
}

/** Turndown escapes `_` in a word too, where it is no markup. */
const withoutNeedless = (text) =>
  text.replaceAll(/(?<=[\p{L}\p{M}\p{N}])(?:\\_)+(?=[\p{L}\p{M}\p{N}])/gu, (run) => run.replaceAll('\\', ''));

/** Turndown does not escape struck text, empty items and headings, and items numbered by `)`. */
const withMissing = (text) =>
  text
    .replace(/^\\~~~/, '~~~')
    .replaceAll(/~(?=~)|(?<=~)~/g, '\\~')
    .replace(/^(?:\+|#{1,6})$/, '\\$&')
    .replace(/^(\d+)(?:\)(?= |$)|\.$)/, (found, number) => `${number}\\${found.at(-1)}`);

/** Turndown writes `_` also in a word, where it is no markup. */
const isInWord = ({ previousSibling, nextSibling, flankingWhitespace: { leading, trailing } }) =>
  (leading === '' && previousSibling?.nodeType === 3 && /[\p{L}\p{M}\p{N}]$/u.test(previousSibling.data)) ||
  (trailing === '' && nextSibling?.nodeType === 3 && /^[\p{L}\p{M}\p{N}]/u.test(nextSibling.data));

const isLinkOfCode = (node) =>
  node.nodeName === 'A' &&
  node.parentNode.nodeName === 'CODE' &&
  !isInCode(node.parentNode) &&
  targetOf(node, 'href') !== null;

/** Code, and the links in it beside it. */
function besideLinks(text, asCode) {
  if (!text.includes('\u0001')) return asCode(text);
  const pieces = text.split('\u0001');
  pieces[0] = pieces[0].trimStart();
  pieces.push(pieces.pop().trimEnd());
  return pieces
    .map((piece, at) => {
      if (at % 2 === 0) return piece.trim() === '' ? piece : asCode(piece);
      const [words, target] = piece.split('\u0002');
      return words.trim() === '' ? words : `[${oneLine(asCode(words))}](${target})`;
    })
    .join('');
}

const LINES = ['TH', 'TD', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6'];

function isInLine({ parentNode }) {
  for (let at = parentNode; at !== null; at = at.parentNode)
    if (LINES.includes(at.nodeName) || (at.nodeName === 'A' && /^https?:/.test(at.getAttribute('href') ?? '')))
      return true;
  return false;
}

/** Code that contains only preformatted text is written as that. */
function hasFenceOnly({ nodeName, firstChild, childNodes }) {
  if (nodeName !== 'CODE' || firstChild === null) return false;
  return [...childNodes].every((child) => (child.nodeType === 3 ? child.data === '' : child.nodeName === 'PRE'));
}

function isInCode({ parentNode }) {
  for (let at = parentNode; at !== null; at = at.parentNode)
    if (at.nodeName === 'CODE' && !hasFenceOnly(at)) return true;
  return false;
}

/** A list that is in a list, after an item. */
function isBesideItem({ nodeName, parentNode, previousSibling }) {
  if (!['UL', 'OL'].includes(nodeName) || !['UL', 'OL'].includes(parentNode?.nodeName)) return false;
  for (let at = previousSibling; at !== null; at = at.previousSibling) if (at.nodeName === 'LI') return true;
  return false;
}

/** A list item with its number, after which Turndown numbers those that follow without their `value`. */
function withStart(node) {
  const { parentNode: list, nextSibling } = node;
  if (list.nodeName !== 'OL') return { parentNode: list, nextSibling };
  const items = [...list.children].filter(({ nodeName }) => nodeName === 'LI');
  let number = (numberIn(list, 'start') ?? 1) - 1;
  for (const item of items.slice(0, items.indexOf(node) + 1)) number = numberIn(item, 'value') ?? number + 1;
  const item = { nextSibling };
  item.parentNode = { nodeName: 'OL', children: [item], getAttribute: () => String(number) };
  return item;
}

function numberIn(element, attribute) {
  const digits = /^\s*\+?(\d{1,9})(?!\d)/.exec(element.getAttribute(attribute) ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}

const BLOCKS = new Set(
  (
    'ADDRESS ARTICLE ASIDE AUDIO BLOCKQUOTE BODY CANVAS CENTER DD DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM ' +
    'FRAMESET H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML ISINDEX LI MAIN MENU NAV NOFRAMES NOSCRIPT OL OUTPUT P PRE SECTION ' +
    'TABLE TBODY TD TFOOT TH THEAD TR UL'
  ).split(' '),
);

/** Preformatted text with a line break for each BR, and where a block begins or ends in a line. */
function linesOf(node, before = { text: '', atStart: true }) {
  let { text, atStart } = before;
  const add = (more) => {
    text += more;
    if (more !== '') atStart = more.endsWith('\n');
  };
  for (const child of node.childNodes) {
    if (child.nodeType === 3) add(child.data);
    if (child.nodeName === 'BR') add('\n');
    else if (child.nodeType === 1) {
      if (BLOCKS.has(child.nodeName) && !atStart) add('\n');
      ({ text, atStart } = linesOf(child, { text, atStart }));
      if (BLOCKS.has(child.nodeName) && !atStart) add('\n');
    }
  }
  return { text, atStart };
}

const separated = (text) => text.replaceAll(/\\[^]|\|/g, (found) => (found === '|' ? '\\|' : found));

const oneLine = (text) => text.replaceAll(/\s+/g, ' ').trim();

function targetOf(element, attribute) {
  const url = URL.parse(element.getAttribute(attribute) ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.href.replaceAll(/[()<>\\`|]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function linkOf(text, element) {
  const target = targetOf(element, 'href');
  const words = oneLine(text);
  return target === null || words === '' ? text : `\ue000[${words}](${target})`;
}

function pictureOf(service, element) {
  const target = targetOf(element, 'src');
  const words = service.escape(oneLine(element.getAttribute('alt') ?? ''));
  return target === null ? words : `![${words}](${target})`;
}

function fenceOf(element) {
  const code = linesOf(element).text.replace(/\n$/, '');
  const classes = [element, ...element.querySelectorAll('code')]
    .map((one) => one.getAttribute('class') ?? '')
    .join(' ');
  const language = /(?:^|\s)(?:language|lang)-([A-Za-z0-9+#.-]{1,20})(?=\s|$)/.exec(classes)?.[1] ?? '';
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

const cellsIn = (row) => [...row.children].filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH');

/** The columns of a cell by its `colspan`, which Turndown ignores. */
const writtenSpan = (cell) => Math.max(1, Number(/^\s*\+?(\d+)/.exec(cell.getAttribute('colspan') ?? '')?.[1] ?? 1));

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

const rowsOf = (table) =>
  [...table.children]
    .flatMap((part) => (part.nodeName === 'TR' ? [part] : [...part.children]))
    .filter((row) => row.nodeName === 'TR' && cellsIn(row).length > 0);

/** The columns of a table in which a cell begins. */
const widthOf = (table) =>
  Math.max(0, ...rowsOf(table).map((row) => sum(cellsIn(row).slice(0, -1).map(writtenSpan)) + 1));

/** In a table of more than 100 columns each cell has one. */
const columnsOf = (table) =>
  widthOf(table) > 100 ? Math.max(...rowsOf(table).map((row) => cellsIn(row).length)) : widthOf(table);

function spanOf(cell) {
  const row = cell.parentNode;
  const table = row.closest('table');
  if (table === null || widthOf(table) > 100) return 1;
  const cells = cellsIn(row);
  const before = sum(cells.slice(0, cells.indexOf(cell)).map(writtenSpan));
  return Math.max(1, Math.min(writtenSpan(cell), columnsOf(table) - before));
}

function rowOf(cells, row) {
  if (cells === '') return '';
  const table = row.closest('table');
  if (table === null || rowsOf(table)[0] !== row) return `\n|${cells}`;
  const columns = columnsOf(table);
  return `\n|${cells}${'  |'.repeat(columns - sum(cellsIn(row).map(spanOf)))}\n|${' --- |'.repeat(columns)}`;
}
