/**
 * Creates elements without markup. Titles, URLs and errors of crawled pages are untrusted: they become text nodes, never
 * HTML, and links only if they are http or https. Their direction marks are isolated (`bdi`).
 */
import { query } from './api.js';

/**
 * Creates an element. `on…` functions become listeners, `true` an empty attribute, null and false none. Children that are null
 * or false are omitted; other values that are not nodes become text.
 * @param {string} name
 * @param {Record<string, unknown>} [attributes]
 * @param {...unknown} children
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Untrusted text. */
export const foreign = (text) => el('bdi', {}, text);

/** An external link that opens a new tab; plain text for anything but http and https. */
export function outward(url, ...children) {
  const shown = children.length > 0 ? children : [foreign(url)];
  if (!/^https?:\/\//i.test(url)) return el('span', {}, ...shown);
  return el('a', { href: url, rel: 'noopener noreferrer', target: '_blank', class: 'outward' }, ...shown);
}

/** The address of a view: `#/page?crawlId=k1&url=…`. */
export const viewAddress = (view, parameters = {}) => `#/${view}${query(parameters)}`;

/** Shows a view; the current one is loaded again. */
export function go(address) {
  if (location.hash === address) dispatchEvent(new HashChangeEvent('hashchange'));
  else location.hash = address;
}

/** A table; `head` is a list of names, or of [name, class]. A row is a list of cells. */
export function table(caption, head, rows) {
  const columns = head.map((column) => (Array.isArray(column) ? column : [column, null]));
  const cells = (row) => row.map((cell, at) => el('td', { class: columns[at][1], 'data-label': columns[at][0] }, cell));
  return el(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el(
      'table',
      {},
      el('caption', { class: 'unseen' }, caption),
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          columns.map(([name, kind]) => el('th', { scope: 'col', class: kind }, name)),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((row) => el('tr', {}, cells(row))),
      ),
    ),
  );
}

/** A list of `[term, value]`; terms without a value are omitted. */
export function facts(entries) {
  const { node, update } = factList();
  update(entries);
  return node;
}

/** Such a list that is updated: what has not changed stays, with its focus and its selection. */
export function factList() {
  const node = el('dl', { class: 'facts' });
  const keep = keyedChildren(node, ([term]) => {
    const shown = el('dd');
    const update = ([, value]) => {
      const fresh = el('dd', {}, value);
      if (!fresh.isEqualNode(shown)) shown.replaceChildren(...fresh.childNodes);
    };
    return { node: el('div', {}, el('dt', {}, term), shown), update };
  });
  const isKnown = ([, value]) => value !== null && value !== undefined && value !== false && value !== '';
  return { node, update: (entries) => keep(entries.filter(isKnown), ([term]) => term) };
}

/**
 * Synchronizes the children of an element with a list, by key, so that focused elements are not replaced.
 * @param {HTMLElement} parent
 * @param {(item: object) => { node: HTMLElement, update: (item: object) => void }} make
 */
export function keyedChildren(parent, make) {
  const shown = new Map();
  return (items, keyOf) => {
    const keys = new Set(items.map(keyOf));
    for (const [key, { node }] of shown) {
      if (keys.has(key)) continue;
      node.remove();
      shown.delete(key);
    }
    items.forEach((item, at) => {
      const key = keyOf(item);
      if (!shown.has(key)) shown.set(key, make(item));
      const { node, update } = shown.get(key);
      update(item);
      if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
    });
  };
}

/** Writes text only if it has changed, so that screen readers and selections are not disturbed. */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}
