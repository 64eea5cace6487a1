/** The pages of a crawl, in the order of their row keys, with filters and a cursor. */
import { query, read } from './api.js';
import { crawlIds } from './crawl-ids.js';
import { el, foreign, go, table, viewAddress } from './element.js';
import { moreButton } from './more-button.js';
import { field } from './property-form.js';
import { brief, number, pageBadges, shortTime, statuses } from './words.js';

const AT_ONCE = 50;

export async function showPages(parameters, { main, signal }) {
  main.append(el('h1', {}, 'Pages'), filterForm(parameters, signal));
  if (parameters.crawlId === undefined) {
    main.append(await crawlChoice(parameters, signal));
    return;
  }
  const list = table(
    'Pages',
    ['URL', 'Status', ['HTTP', 'number'], ['Score', 'number'], ['Distance', 'number'], 'Due', 'Title'],
    [],
  );
  const rows = list.querySelector('tbody');
  const said = el('p', { class: 'hint', role: 'status' });
  const more = moreButton(() => readOn(), said);
  main.append(el('div', { 'data-crawl': parameters.crawlId }, list, said, more));
  let cursor = '';
  const readOn = async () => {
    const { pages, cursor: next } = await read(`v1/pages${query({ ...parameters, limit: AT_ONCE, cursor })}`, signal);
    const fresh = pages.map((page) => rowOf(page, parameters.crawlId));
    rows.append(...fresh);
    cursor = next ?? '';
    more.hidden = next === null;
    said.textContent =
      rows.children.length === 0
        ? 'No page is like that.'
        : `${number(rows.children.length)} ${rows.children.length === 1 ? 'page' : 'pages'}${next === null ? '' : ' so far'}`;
    return fresh;
  };
  try {
    await readOn();
  } catch (problem) {
    if (problem.errors?.length) showAtField(main, problem);
    else throw problem;
  }
}

function rowOf(page, crawlId) {
  const cell = (name, content, kind = null) => el('td', { 'data-label': name, class: kind }, content);
  const address = viewAddress('page', { crawlId, url: page.url });
  return el(
    'tr',
    {},
    cell('URL', el('a', { href: address, class: 'url' }, foreign(page.url)), 'words'),
    cell('Status', pageBadges(page)),
    cell('HTTP', page.httpStatus ?? '–', 'number'),
    cell('Score', Number(page.score.toPrecision(3)), 'number'),
    cell('Distance', page.distance, 'number'),
    cell('Due', shortTime(page.fetchTime), 'when'),
    cell('Title', page.title ? foreign(brief(page.title)) : '–', 'words'),
  );
}

function filterForm(parameters, signal) {
  const input = (name, placeholder) =>
    el('input', {
      id: `filter-${name}`,
      name,
      value: parameters[name] ?? '',
      placeholder,
      autocomplete: 'off',
      spellcheck: 'false',
      maxlength: 4096,
    });
  const options = [['', 'any'], ...Object.entries(statuses).map(([name, [word]]) => [name, word])];
  // A status in the address that is not in the list, such as two statuses, is added as an option.
  if (parameters.status && !statuses[parameters.status]) options.push([parameters.status, parameters.status]);
  const status = el(
    'select',
    { id: 'filter-status', name: 'status' },
    options.map(([value, word]) => el('option', { value, selected: value === (parameters.status ?? '') }, word)),
  );
  const crawls = el('datalist', { id: 'crawl-ids' });
  const crawlId = input('crawlId', parameters.crawlId === '' ? 'the crawl without an id' : '');
  crawlId.setAttribute('list', 'crawl-ids');
  void fillCrawls(crawls, signal).catch(() => undefined);
  const form = el(
    'form',
    { class: 'filters', role: 'search', 'aria-label': 'Filter pages', novalidate: true },
    field('Crawl id', crawlId),
    field('Status', status),
    field('Host', input('host', 'www.site.example')),
    field('URL begins with', input('prefix', 'https://site.example/docs/')),
    el('button', {}, 'Show'),
    crawls,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
    // An empty field names the crawl without an id only if that one is shown.
    go(viewAddress('pages', { ...fields, crawlId: fields.crawlId || (parameters.crawlId === '' ? '' : null) }));
  });
  return form;
}

async function fillCrawls(list, signal) {
  list.replaceChildren(...(await crawlIds(signal)).filter(Boolean).map((value) => el('option', { value })));
}

/** Without a crawl there is nothing to list: offers a choice of crawls, with the filters that are set. */
async function crawlChoice(filters, signal) {
  const ids = await crawlIds(signal);
  if (ids.length === 0) return el('p', { class: 'hint' }, 'No crawl has pages yet.');
  const links = ids.map((id) =>
    el(
      'li',
      {},
      el('a', { href: viewAddress('pages', { ...filters, crawlId: id }) }, id === '' ? '(without a name)' : id),
    ),
  );
  return el('section', {}, el('h2', {}, 'Of which crawl?'), el('ul', {}, links));
}

function showAtField(main, { errors, message }) {
  for (const { field: name, message: words } of errors) {
    const control = main.querySelector(`#filter-${CSS.escape(name)}`);
    const note = main.querySelector(`#filter-${CSS.escape(name)}-fault`);
    control?.setAttribute('aria-invalid', 'true');
    if (note) note.textContent = words;
    else main.append(el('p', { class: 'fault', role: 'alert' }, message));
  }
}
