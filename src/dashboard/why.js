/** The form for "why was this URL (not) fetched?" with all its options. */
import { read } from './api.js';
import { crawlIds } from './crawl-ids.js';
import { el, foreign, go, viewAddress } from './element.js';
import { field } from './property-form.js';
import { answerView, confOfCrawl, inspect } from './verdict.js';

const scopes = [
  ['', 'as configured'],
  ['inject', 'as a seed'],
  ['outlink', 'as a link of a page'],
  ['fetcher', 'as the target of a redirect'],
  ['host', 'in a crawl that stays on its hosts'],
  ['domain', 'in a crawl that stays in its domains'],
  ['any', 'in a crawl that follows all links'],
];

export async function showWhy(parameters, { main, signal }) {
  main.append(el('h1', {}, 'Why was this URL (not) fetched?'), await questionForm(parameters, signal));
  if (!parameters.url) return;
  const place = el('section', {
    class: 'card',
    'aria-label': 'Answer',
    'data-crawl': parameters.crawlId ?? '',
    'data-conf': parameters.confId ?? '',
  });
  place.append(el('p', { class: 'hint' }, 'Asking …'));
  main.append(place);
  const confId = parameters.confId || (parameters.crawlId ? await confOfCrawl(parameters.crawlId, signal) : '');
  const answer = await inspect({ ...parameters, confId, crawlId: parameters.crawlId ?? null }, signal).catch(
    (error) => {
      place.remove();
      throw error;
    },
  );
  place.replaceChildren(
    el('h2', { class: 'url' }, foreign(answer.given)),
    answerView(answer, { crawlId: parameters.crawlId ?? '', confId }),
  );
}

async function questionForm(parameters, signal) {
  const [confs, crawls] = await Promise.all([read('config', signal), crawlIds(signal)]);
  const input = (name, attributes = {}) =>
    el('input', {
      id: `why-${name}`,
      name,
      value: parameters[name] ?? '',
      autocomplete: 'off',
      spellcheck: 'false',
      ...attributes,
    });
  const select = (name, options) =>
    el(
      'select',
      { id: `why-${name}`, name },
      options.map(([value, words]) => el('option', { value, selected: value === (parameters[name] ?? '') }, words)),
    );
  const robots = el('input', {
    id: 'why-robots',
    name: 'robots',
    type: 'checkbox',
    value: '1',
    checked: Boolean(parameters.robots) || !parameters.url,
  });
  const form = el(
    'form',
    { class: 'filters why', 'aria-label': 'Question', novalidate: true },
    field('URL', input('url', { maxlength: 65_536, placeholder: 'https://site.example/page' })),
    field('Crawl id', input('crawlId', { list: 'why-crawls' })),
    field('Configuration', select('confId', [['', 'as the crawl has it'], ...confs.map((id) => [id, id])])),
    field('It enters', select('scope', scopes)),
    field('Seen on page', input('from', { placeholder: 'URL of a page with the link' })),
    el(
      'div',
      { class: 'field check' },
      robots,
      el('label', { for: 'why-robots' }, 'Ask robots.txt too (at most one request to the site)'),
    ),
    el('button', {}, 'Ask'),
    el(
      'datalist',
      { id: 'why-crawls' },
      crawls.filter(Boolean).map((value) => el('option', { value })),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
    // Without a crawl id no crawl is named.
    if (fields.url) go(viewAddress('why', { ...fields, crawlId: fields.crawlId || null }));
    else form.elements.namedItem('url').focus();
  });
  return form;
}
