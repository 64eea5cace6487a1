/**
 * The page for people: one document, its views distinguished by what stands behind `#`, so that each has an address, a place in
 * the history and a title. A view is a function that fills `main` and stops all it has under way when its signal says so.
 */
import { isSignedIn, onRefused, tryKey } from './api.js';
import { showCrawl } from './crawl.js';
import { showCrawls } from './crawls.js';
import { el, go, viewAddress } from './element.js';
import { followFile, showFile } from './file.js';
import { showJob } from './job.js';
import { showPage } from './page.js';
import { showPages } from './pages.js';
import { showSearch } from './search.js';
import { askForKey, showReach, showSignIn, signOut } from './sign-in.js';
import { showWhy } from './why.js';

const views = {
  '': showCrawls,
  crawl: showCrawl,
  job: showJob,
  pages: showPages,
  page: showPage,
  why: showWhy,
  search: showSearch,
  file: showFile,
};

const main = document.querySelector('#content');
const search = document.querySelector('#search');
const status = document.querySelector('#status');
const SAID_FOR_MS = 10_000;
let shown = new AbortController();
let visited = 0;
let silence = 0;
/** A key is asked for. */
let isOut = false;

/** Says something to everybody: seen at the foot of the window for a while, and read out when the reader is ready. */
function announce(text) {
  clearTimeout(silence);
  status.textContent = text;
  silence = setTimeout(() => (status.textContent = ''), SAID_FOR_MS);
}

/** Shows the view that the address names; when nobody is signed in, and somebody must be, the page that asks for a key. */
async function route() {
  if (isOut) return;
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

/** Ends what is under way and asks for a key. */
function leave(words) {
  shown.abort();
  isOut = true;
  showReach(false);
  document.querySelector('#door').replaceChildren();
  document.title = 'Sign in · Orbweaver';
  showSignIn(main, words, enter);
}

function enter() {
  isOut = false;
  showReach(true);
  return route();
}

/** Who may not come in sees nothing: a key that is not (any longer) one of the server is forgotten. */
function leaveUnknown() {
  const hadKey = isSignedIn();
  signOut();
  leave(
    hadKey
      ? 'The server does not take this key any more. Sign in again.'
      : 'This server asks for a key. What you may do here depends on its scope: read, run crawls, or everything.',
  );
}

/** Who may not do something keeps what is written in a form; without one the view is made again. */
function takeBetterKey() {
  showReach(true);
  announce('The key is used from now on.');
  const written = [...main.querySelectorAll('input, textarea')].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );
  if (!written) void route();
}

onRefused((problem) => {
  if (isOut) return;
  if (problem.status === 401) leaveUnknown();
  else askForKey(document.querySelector('#door'), problem.message, takeBetterKey);
});
document.querySelector('#sign-out').addEventListener('click', () => {
  signOut();
  leave('You have signed out.');
});
document.addEventListener('click', followFile);
addEventListener('hashchange', route);
try {
  await tryKey();
} catch (problem) {
  // What else is wrong is shown by the view.
  if (problem.status === 401) leaveUnknown();
}
if (!isOut) await enter();
