/** Search in the documents of a crawl: hits with snippets, facets, and an explanation of each score. */
import { query, read } from './api.js';
import { crawlIds } from './crawl-ids.js';
import { el, foreign, go, outward, viewAddress } from './element.js';
import { explanation } from './explanation.js';
import { indexButton } from './index-button.js';
import { moreButton } from './more-button.js';
import { field } from './property-form.js';
import { number, shortTime } from './words.js';

const AT_ONCE = 10;
const FACETS = { host: 'Hosts', lang: 'Languages', type: 'Types' };
const VALUES_SHOWN = 8;
const SYNTAX = 'Words, "phrases", +must, -not, title:word, begin*, site:, host:, lang:, type:, date:.';

export async function showSearch(parameters, { main, signal, announce }) {
  const q = (parameters.q ?? '').trim();
  const crawl = parameters.crawlId;
  const collapse = parameters.collapse === 'false' ? false : null;
  const box = input(q);
  main.append(el('h1', {}, 'Search'), searchForm(box, parameters, signal));
  listenForKeys(main, box, signal);
  if (q === '') {
    box.focus();
    main.append(el('p', { class: 'hint' }, SYNTAX));
    return;
  }
  const said = el('p', { class: 'hint', role: 'status' }, 'Searching …');
  const hits = el('ol', { class: 'hits', 'aria-label': 'Hits' });
  const more = moreButton(() => readOn(), said);
  const counts = el('aside', { class: 'facets', 'aria-label': 'Narrow down' });
  const advice = el('div', {});
  main.append(
    el(
      'div',
      { 'data-crawl': crawl ?? '' },
      said,
      advice,
      el('div', { class: 'found' }, el('div', {}, hits, more), counts),
    ),
  );
  let cursor = '';
  let hidden = 0;
  const readOn = async () => {
    const facets = cursor === '' ? Object.keys(FACETS).join(',') : '';
    const answer = await read(
      `v1/search${query({ q, crawlId: crawl, limit: AT_ONCE, cursor, facets, collapse, explain: true })}`,
      signal,
    );
    const fresh = answer.hits.map((hit) => hitOf(hit, answer.crawlId, searchAddress(q, crawl, false)));
    hits.append(...fresh);
    if (cursor === '') {
      counts.replaceChildren(...facetLists(answer.facets, (words) => searchAddress(words, crawl, collapse), q));
      advice.replaceChildren(...adviceOf(answer, crawl, collapse === false && searchAddress(q, crawl)));
      const tell = (words) => (said.textContent = words);
      if (hasNoIndex(answer)) advice.append(indexButton(answer.crawlId, { announce, signal, tell }) ?? '');
    }
    cursor = answer.cursor ?? '';
    more.hidden = answer.cursor === null;
    hidden += answer.hits.reduce((sum, { duplicates }) => sum + duplicates, 0);
    said.textContent = countWords(answer, hits.children.length, hidden);
    return fresh;
  };
  try {
    await readOn();
  } catch (problem) {
    said.textContent = '';
    if (problem.code !== 'CRAWL_NOT_NAMED') throw problem;
    advice.append(el('p', { class: 'fault', role: 'alert' }, problem.message), await crawlChoice(q, signal));
  }
}

/** Links to the same search in each known crawl. */
async function crawlChoice(q, signal) {
  const ids = await crawlIds(signal).catch(() => []);
  const link = (id) => el('a', { href: searchAddress(q, id) }, id === '' ? 'the crawl without an id' : foreign(id));
  return el('ul', { class: 'url-list' }, ...ids.map((id) => el('li', {}, link(id))));
}

/** The state of an index begins with the number of its last segment; segments are numbered from 1. */
const hasNoIndex = ({ generation }) => generation.startsWith('0.');

/** @param hidden near duplicates of the hits that are shown, which `total` includes */
function countWords({ total, exact }, shown, hidden) {
  if (total === 0) return 'Nothing was found.';
  const all = `${exact ? '' : 'at least '}${number(total)} ${total === 1 ? 'page' : 'pages'}`;
  const said = shown < total ? `${number(shown)} of ${all}` : all;
  return hidden === 0 ? said : `${said}, ${nearDuplicates(hidden)} hidden`;
}

const nearDuplicates = (count) => `${number(count)} near ${count === 1 ? 'duplicate' : 'duplicates'}`;

const input = (q) =>
  el('input', {
    id: 'search-q',
    name: 'q',
    type: 'search',
    value: q,
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 65_536,
    placeholder: 'interactive rebase',
    enterkeyhint: 'search',
    'aria-keyshortcuts': '/',
  });

function searchForm(box, parameters, signal) {
  const crawls = el('datalist', { id: 'search-crawls' });
  const crawl = el('input', {
    id: 'search-crawl',
    name: 'crawlId',
    value: parameters.crawlId ?? '',
    placeholder: parameters.crawlId === '' ? 'the crawl without an id' : null,
    list: 'search-crawls',
    autocomplete: 'off',
  });
  crawlIds(signal)
    .then((ids) => crawls.replaceChildren(...ids.filter(Boolean).map((value) => el('option', { value }))))
    .catch(() => undefined);
  const form = el(
    'form',
    { class: 'filters search', role: 'search', 'aria-label': 'Search pages', novalidate: true },
    field('Words', box),
    field('Crawl id', crawl),
    el('button', {}, 'Search'),
    crawls,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    go(searchAddress(box.value.trim(), crawl.value.trim() || (parameters.crawlId === '' ? '' : null)));
  });
  return form;
}

/**
 * If `crawlId` is null, the server searches the only crawl that has an index. If `collapse` is false, each of near duplicates is
 * shown.
 */
const searchAddress = (q, crawlId, collapse = null) => viewAddress('search', { q, crawlId, collapse });

/**
 * One hit: its title links to the page itself; further links lead to its record, to "Why?", and to the search that shows its near
 * duplicates.
 */
function hitOf(hit, crawlId, uncollapsed) {
  const facts = [
    hit.lang && el('span', { class: 'badge aside' }, foreign(hit.lang)),
    hit.type && hit.type !== 'text/html' && el('span', { class: 'badge aside' }, foreign(hit.type)),
    shortTime(hit.fetchTime),
    hit.duplicates > 0 && el('a', { href: uncollapsed }, `and ${nearDuplicates(hit.duplicates)}`),
    el('a', { href: viewAddress('page', { crawlId, url: hit.pageUrl }) }, 'record'),
    el('a', { href: viewAddress('why', { crawlId, url: hit.pageUrl }) }, 'why?'),
  ];
  return el(
    'li',
    { class: 'hit' },
    el(
      'h2',
      {},
      outward(hit.url, hit.title ? highlighted({ text: hit.title, marks: hit.titleMarks }) : foreign(hit.url)),
    ),
    el('p', { class: 'url hint' }, foreign(hit.url)),
    ...hit.snippets.map((snippet) => el('p', {}, highlighted(snippet))),
    el('p', { class: 'row hint' }, facts),
    hit.explanation && explanation(hit.explanation),
  );
}

/** Text of a page with highlighted matches. `marks` are ranges in UTF-16 units, in order. */
function highlighted({ text, marks }) {
  const children = [];
  let at = 0;
  for (const [start, end] of marks) {
    children.push(text.slice(at, start), el('mark', {}, text.slice(start, end)));
    at = end;
  }
  return el('bdi', {}, ...children, text.slice(at));
}

/** @param collapsed if near duplicates are shown: the address of the same search without them */
function adviceOf({ notes, didYouMean, expansion }, crawl, collapsed) {
  return [
    didYouMean
      ? el('p', {}, 'Did you mean ', el('a', { href: searchAddress(didYouMean, crawl) }, foreign(didYouMean)), '?')
      : null,
    ...notes.map((note) => el('p', { class: 'hint' }, foreign(note))),
    expansion.added.length > 0 &&
      el('p', { class: 'hint' }, 'Also searched for: ', foreign(expansion.added.join(', '))),
    collapsed && el('p', { class: 'hint' }, 'Near duplicates are shown. ', el('a', { href: collapsed }, 'Hide them')),
  ].filter(Boolean);
}

/** Facet values as links that add a filter to the query; the link of an active filter removes it. */
function facetLists(facets, addressOf, q) {
  return Object.entries(FACETS).flatMap(([name, heading]) => {
    const values = (facets[name] ?? []).slice(0, VALUES_SHOWN);
    if (values.length === 0) return [];
    const items = values.map(({ value, documents }) => {
      const filter = `${name}:${value}`;
      const chosen = q.split(/\s+/).includes(filter);
      const next = chosen
        ? q
            .split(/\s+/)
            .filter((word) => word !== filter)
            .join(' ')
        : `${q} ${filter}`;
      return el(
        'li',
        {},
        el('a', { href: addressOf(next), 'aria-current': chosen && 'true' }, foreign(value)),
        el('span', { class: 'hint' }, ` ${number(documents)}`),
      );
    });
    return [el('section', {}, el('h2', {}, heading), el('ul', { class: 'url-list' }, items))];
  });
}

/** `/` focuses the search box, arrow keys move from hit to hit. */
function listenForKeys(main, box, signal) {
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const isWriting = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key === '/' && !isWriting) {
        event.preventDefault();
        box.select();
        box.focus();
        return;
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined || (isWriting && event.target !== box)) return;
      const links = [...main.querySelectorAll('.hit h2 a')];
      const at = links.findIndex((link) => link.closest('.hit').contains(document.activeElement)) + step;
      if (links.length === 0 || at >= links.length) return;
      event.preventDefault();
      (at < 0 ? box : links[at]).focus();
    },
    { signal },
  );
}
