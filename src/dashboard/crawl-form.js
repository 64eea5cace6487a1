/** Starts a crawl. Errors are shown at the field that they concern. */
import { read } from './api.js';
import { creation } from './creation.js';
import { el } from './element.js';
import { field, propertyForm, readProperty } from './property-form.js';

const AGENT_NAME = 'http.agent.name';
/** Fields of problems that name none. */
const fieldOfCode = { CONFIG_ID_UNKNOWN: 'confId' };

const text = (id, attributes = {}) =>
  el('input', { id: `new-${id}`, name: id, autocomplete: 'off', spellcheck: 'false', ...attributes });
const count = (id, placeholder) => text(id, { inputmode: 'numeric', placeholder });

const check = (id, label) =>
  el(
    'div',
    { class: 'field check' },
    el('input', { id: `new-${id}`, name: id, type: 'checkbox' }),
    el('label', { for: `new-${id}` }, label),
  );

const scopeSelect = () =>
  el(
    'select',
    { id: 'new-scope', name: 'scope' },
    [
      ['', 'as configured'],
      ['host', 'their host'],
      ['domain', 'their domain'],
      ['any', 'anywhere'],
    ].map(([value, words]) => el('option', { value }, words)),
  );

export function crawlForm({ announce, signal, parameters }) {
  const agent = el('div');
  const confs = el('select', { id: 'new-confId', name: 'confId' }, el('option', {}, 'default'));
  const seeds = el('textarea', {
    id: 'new-seeds',
    name: 'seeds',
    rows: 4,
    spellcheck: 'false',
    placeholder: 'https://site.example/',
  });
  const fault = el('p', { class: 'fault', role: 'alert' });
  const button = el('button', {}, 'Start crawl');
  const form = el(
    'form',
    { class: 'card new-crawl', novalidate: true, 'aria-labelledby': 'new-title' },
    el('h2', { id: 'new-title' }, 'Start a crawl'),
    agent,
    field('Seeds', seeds, 'One URL per line. Empty: continues with the pages of the crawl.'),
    field('Crawl id', text('crawlId', { value: parameters.crawlId ?? '' }), 'Each crawl has its own pages.'),
    field('Links may lead to', scopeSelect()),
    check('index', 'Index the pages, so that Search finds them'),
    el(
      'details',
      {},
      el('summary', {}, 'Limits and configuration'),
      field('Configuration', confs),
      field('Rounds', count('rounds', 'until nothing is due')),
      field('Pages per round (topN)', count('topN', 'as configured')),
      field('Total pages (limit)', count('limit', 'no limit')),
      check('ranks', 'Rank the pages by their links'),
    ),
    fault,
    button,
  );
  suggestCrawlId(form);
  // Requests for the previously selected configuration are aborted: a late answer must not replace what is typed.
  let asking = new AbortController();
  const checkAgent = () => {
    asking.abort();
    asking = new AbortController();
    agent.replaceChildren();
    offerAgentName(agent, confs.value, AbortSignal.any([signal, asking.signal])).catch(() => undefined);
  };
  confs.addEventListener('change', checkAgent);
  void fillConfs(confs, signal).then(checkAgent, () => undefined);
  const create = creation({ announce, signal });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    await start(form, { create, fault }).finally(() => (button.disabled = false));
  });
  return form;
}

async function fillConfs(select, signal) {
  const ids = await read('config', signal);
  select.replaceChildren(...ids.map((id) => el('option', {}, id)));
}

/** Until the user enters a crawl id, it is the host of the first seed. */
function suggestCrawlId(form) {
  const { crawlId, seeds } = form.elements;
  let own = crawlId.value !== '';
  crawlId.addEventListener('input', () => (own = crawlId.value !== ''));
  seeds.addEventListener('input', () => {
    const [first = ''] = seeds.value.trim().split(/\s/);
    if (!own)
      crawlId.value = URL.canParse(first) ? new URL(first).hostname.replaceAll(/[^\w.-]/g, '').slice(0, 128) : '';
  });
}

function requestOf(form) {
  const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
  // URLs that were pasted in one line are several seeds; other words of a line are its metadata.
  const seeds = fields.seeds.split(/\r?\n|\s+(?=https?:\/\/)/i).filter((line) => line.trim() !== '');
  // Other text is sent unchanged: the server reports what it accepts.
  const numbers = ['rounds', 'topN', 'limit'].map((name) => [
    name,
    /^\d{1,15}$/.test(fields[name]) ? Number(fields[name]) : fields[name],
  ]);
  const all = {
    seeds,
    crawlId: fields.crawlId,
    confId: fields.confId,
    scope: fields.scope,
    ...Object.fromEntries(numbers),
    ...(fields.index && { index: true }),
    ...(fields.ranks && { ranks: true }),
  };
  const isGiven = ([name, value]) => name === 'crawlId' || (Array.isArray(value) ? value.length > 0 : value !== '');
  return Object.fromEntries(Object.entries(all).filter(isGiven));
}

async function start(form, { create, fault }) {
  const request = requestOf(form);
  clearFaults(form, fault);
  try {
    await create('v1/crawls', request);
  } catch (problem) {
    showFaults(form, fault, problem);
  }
}

function clearFaults(form, fault) {
  fault.textContent = '';
  for (const control of form.querySelectorAll('[aria-invalid]')) control.removeAttribute('aria-invalid');
  for (const note of form.querySelectorAll('.field .fault')) note.textContent = '';
}

/** Shows each error at its field, and focuses the first of them. */
function showFaults(form, fault, problem) {
  const { errors, code, message } = problem;
  // Of several errors of a field the last is the clearest: `must be a number` after `must not be greater than …`.
  const plainest = [...new Map(errors.map((error) => [error.field, error])).values()];
  const named = plainest.length > 0 ? plainest : [{ field: fieldOfCode[code] ?? '', message }];
  const homeless = [];
  for (const error of named) {
    const [name] = error.field.replace(/^args\./, '').split(/[[.]/);
    const control = name ? form.elements.namedItem(name) : null;
    const note = control && form.querySelector(`#${control.id}-fault`);
    if (!note) {
      homeless.push(error.message);
      continue;
    }
    control.setAttribute('aria-invalid', 'true');
    note.append(el('span', {}, error.message));
  }
  fault.textContent = homeless.join(' ');
  const first = form.querySelector('[aria-invalid]');
  first?.closest('details')?.setAttribute('open', '');
  first?.focus();
}

/** Without a name nothing is fetched: says so, with a form that sets it. */
async function offerAgentName(place, confId, signal) {
  const value = await readProperty(confId, AGENT_NAME, signal);
  if (value !== '') return;
  place.replaceChildren(
    el(
      'div',
      { class: 'note' },
      el(
        'p',
        {},
        'The crawler has no name yet. It is sent to sites (',
        el('code', {}, AGENT_NAME),
        '), and without it nothing is fetched.',
      ),
      propertyForm(confId, AGENT_NAME, { value, signal }),
    ),
  );
}
