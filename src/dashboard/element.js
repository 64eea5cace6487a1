/**
 * Elements, made without markup. Titles, URLs and errors of crawled pages are written by strangers: they become text nodes,
 * never HTML, and a link only when they are http or https. Direction marks in them stay inside (`bdi`).
 */

/**
 * An element. `on…` functions become listeners, `true` a bare attribute, null and false nothing. Children that are null or
 * false are left out; whatever is no node becomes text.
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

/** Text of a stranger. */
export const foreign = (text) => el('bdi', {}, text);

/** A link out of here, in a new tab; plain text for anything but http and https. */
export function outward(url, ...children) {
  const shown = children.length > 0 ? children : [foreign(url)];
  if (!/^https?:\/\//i.test(url)) return el('span', {}, ...shown);
  return el('a', { href: url, rel: 'noopener noreferrer', target: '_blank', class: 'outward' }, ...shown);
}

/** The address of a view of this page: `#/page?crawlId=k1&url=…`. An empty crawl id names a crawl too; else empty is not given. */
export function viewAddress(view, parameters = {}) {
  const isGiven = ([name, value]) => value !== null && value !== undefined && (value !== '' || name === 'crawlId');
  const query = new URLSearchParams(Object.entries(parameters).filter(isGiven)).toString();
  return `#/${view}${query && `?${query}`}`;
}

/** Shows a view; the one that is shown already is asked again. */
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

/** Terms and what is known of them: `[term, value]`; those without a value are left out. */
export function facts(entries) {
  const known = entries.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return el(
    'dl',
    { class: 'facts' },
    known.map(([term, value]) => el('div', {}, el('dt', {}, term), el('dd', {}, value))),
  );
}

/**
 * Keeps the children of an element in step with a list, by key, so that nothing moves under somebody's focus.
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

/** Writes text where it has changed only: a screen reader and a selection stay undisturbed. */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}
