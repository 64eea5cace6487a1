/**
 * The page for people: one document, its views told apart by what stands behind `#`, so that each has an address, a place in
 * the history and a title. A view is a function that fills `main` and stops all it has under way when its signal says so.
 */
import { onRefused } from './api.js';
import { showCrawl } from './crawl.js';
import { showCrawls } from './crawls.js';
import { el, go, viewAddress } from './element.js';
import { showJob } from './job.js';
import { showPage } from './page.js';
import { showPages } from './pages.js';
import { askForKey } from './sign-in.js';
import { showWhy } from './why.js';

const views = { '': showCrawls, crawl: showCrawl, job: showJob, pages: showPages, page: showPage, why: showWhy };

const main = document.querySelector('#content');
const search = document.querySelector('#search');
const status = document.querySelector('#status');
const saidForMs = 10_000;
let shown = new AbortController();
let visited = 0;
let silence = 0;

/** Says something to everybody: seen at the foot of the window for a while, and read out when the reader is ready. */
function announce(text) {
  clearTimeout(silence);
  status.textContent = text;
  silence = setTimeout(() => (status.textContent = ''), saidForMs);
}

async function route() {
  const [name = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const view = views[name];
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  main.replaceChildren();
  markNavigation(name);
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const place = { main, signal, announce, again: route };
  try {
    if (view) await view(parameters, place);
    else main.append(el('h1', {}, 'There is nothing here'), el('p', {}, el('a', { href: '#/' }, 'To the crawls')));
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted) return;
    if (!main.querySelector('h1')) main.append(el('h1', {}, 'This cannot be shown'));
    main.append(el('p', { class: 'fault', role: 'alert' }, error.message));
  }
  settle(signal);
}

/** After a step from view to view, the reader stands at its heading. */
function settle(signal) {
  if (signal.aborted) return;
  const heading = main.querySelector('h1');
  document.title = `${heading?.textContent ?? ''} · Orbweaver`;
  heading?.setAttribute('tabindex', '-1');
  if (visited++ > 0 && !main.contains(document.activeElement)) heading?.focus();
}

function markNavigation(name) {
  const home = { crawl: '', job: '', page: 'pages' }[name] ?? name;
  for (const link of document.querySelectorAll('.top nav a')) {
    if (link.getAttribute('href') === `#/${home}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

search.addEventListener('submit', (event) => {
  event.preventDefault();
  const url = search.elements.namedItem('url').value.trim();
  const { crawlId, confId } = Object.fromEntries(new URLSearchParams(location.hash.split('?')[1] ?? ''));
  const here = main.querySelector('[data-crawl]')?.dataset ?? {};
  const address = viewAddress('why', { url, crawlId: crawlId ?? here.crawl, confId: confId ?? here.conf, robots: 1 });
  go(address);
});

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

// Who may not come in sees nothing: the view is made anew. Who may not do something keeps what is written in the form.
onRefused((problem) => {
  const go = problem.status === 401 ? route : () => announce('The key is used from now on.');
  askForKey(document.querySelector('#door'), problem, go);
});
addEventListener('hashchange', route);
await route();
