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

export async function showWhy(asked, { main, signal }) {
  main.append(el('h1', {}, 'Why was this URL (not) fetched?'), await questionForm(asked, signal));
  if (!asked.url) return;
  const place = el('section', {
    class: 'card',
    'aria-label': 'Answer',
    'data-crawl': asked.crawlId ?? '',
    'data-conf': asked.confId ?? '',
  });
  place.append(el('p', { class: 'hint' }, 'Asking …'));
  main.append(place);
  const confId = asked.confId || (asked.crawlId ? await confOfCrawl(asked.crawlId, signal) : '');
  const answer = await inspect({ ...asked, confId, crawlId: asked.crawlId ?? null }, signal).catch((error) => {
    place.remove();
    throw error;
  });
  place.replaceChildren(
    el('h2', { class: 'url' }, foreign(answer.given)),
    answerView(answer, { crawlId: asked.crawlId ?? '', confId }),
  );
}

async function questionForm(asked, signal) {
  const [confs, crawls] = await Promise.all([read('config', signal), crawlIds(signal)]);
  const input = (name, attributes = {}) =>
    el('input', {
      id: `why-${name}`,
      name,
      value: asked[name] ?? '',
      autocomplete: 'off',
      spellcheck: 'false',
      ...attributes,
    });
  const select = (name, options) =>
    el(
      'select',
      { id: `why-${name}`, name },
      options.map(([value, words]) => el('option', { value, selected: value === (asked[name] ?? '') }, words)),
    );
  const robots = el('input', {
    id: 'why-robots',
    name: 'robots',
    type: 'checkbox',
    value: '1',
    checked: Boolean(asked.robots) || !asked.url,
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
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
    // Without a crawl id no crawl is named.
    if (given.url) go(viewAddress('why', { ...given, crawlId: given.crawlId || null }));
    else form.elements.namedItem('url').focus();
  });
  return form;
}
