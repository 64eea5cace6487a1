/**
 * The dashboard: one document whose views are selected by the fragment (`#`), so that each has an address, a history entry and a
 * title. A view is a function that fills `main` and stops all its work when its signal is aborted.
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
import { askForKey, showAllowed, showSignIn, signOut } from './sign-in.js';
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
/** A message that is shown until it is revoked. */
let warning = '';
/** Whether the sign-in page is shown. */
let isOut = false;

/** Shows a message at the bottom of the window for some seconds; screen readers read it out when idle. */
function announce(text) {
  clearTimeout(silence);
  status.textContent = text;
  silence = setTimeout(() => (status.textContent = warning), SAID_FOR_MS);
}

/** Shows a message until the next call; '' revokes it. What is shown of `announce` meanwhile stays for its time. */
function warn(text) {
  const isShown = status.textContent === warning;
  warning = text;
  if (text === '' && !isShown) return;
  clearTimeout(silence);
  status.textContent = text;
}

/** The view that the address names, and its parameters. A `?` in a parameter may be unencoded, as in a URL that was pasted. */
function addressNow() {
  const [, name = '', query = ''] = /^#?\/?([^?]*)\??(.*)$/s.exec(location.hash) ?? [];
  return { name, query };
}

/** Shows the view that the address names, unless the sign-in page is shown. */
async function route() {
  if (isOut) return;
  const { name, query } = addressNow();
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  warn('');
  main.replaceChildren();
  showCurrentLink(name);
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const place = { main, signal, announce, warn };
  try {
    if (view) await view(parameters, place);
    else main.append(el('h1', {}, 'There is nothing here'), el('p', {}, el('a', { href: '#/' }, 'To the crawls')));
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted) return;
    if (!main.querySelector('h1')) main.append(el('h1', {}, 'This cannot be shown'));
    main.append(el('p', { class: 'fault', role: 'alert' }, error.message));
    if (isPassing(error)) main.append(againButton());
  }
  focusHeading(signal);
}

/** Whether the same request may succeed a moment later: no answer, too many requests, or a server or proxy that is not ready. */
const isPassing = ({ status }) => [0, 429, 502, 503, 504].includes(status);

const againButton = () => el('button', { type: 'button', onclick: () => void route() }, 'Try again');

/** After a change of view, moves the focus to its heading. */
function focusHeading(signal) {
  if (signal.aborted) return;
  const heading = main.querySelector('h1');
  document.title = `${heading?.textContent ?? ''} · Orbweaver`;
  heading?.setAttribute('tabindex', '-1');
  if (visited++ > 0 && !main.contains(document.activeElement)) heading?.focus();
}

function showCurrentLink(name) {
  const home = { crawl: '', job: '', page: 'pages' }[name] ?? name;
  for (const link of document.querySelectorAll('.top nav a')) {
    if (link.getAttribute('href') === `#/${home}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

search.addEventListener('submit', (event) => {
  event.preventDefault();
  const url = search.elements.namedItem('url').value.trim();
  const { crawlId, confId } = Object.fromEntries(new URLSearchParams(addressNow().query));
  const here = main.querySelector('[data-crawl]')?.dataset ?? {};
  const address = viewAddress('why', { url, crawlId: crawlId ?? here.crawl, confId: confId ?? here.conf, robots: 1 });
  go(address);
});

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

/** Ends the current view and asks for a key. */
function leave(words) {
  shown.abort();
  warn('');
  isOut = true;
  showAllowed(false);
  document.querySelector('#key-form').replaceChildren();
  document.title = 'Sign in · Orbweaver';
  showSignIn(main, words, enter);
}

function enter() {
  isOut = false;
  showAllowed(true);
  return route();
}

/** Without a valid key nothing is shown: a key that the server does not (or no longer) know is forgotten. */
function leaveUnknown() {
  const hadKey = isSignedIn();
  signOut();
  leave(
    hadKey
      ? 'The server does not take this key any more. Sign in again.'
      : 'This server requires a key. Its scope determines what you may do here: read, run crawls, or everything.',
  );
}

/** Keeps the view if the user has typed something into a form; otherwise shows it again with the new key. */
function takeBetterKey() {
  showAllowed(true);
  announce('The new key is in use.');
  const written = [...main.querySelectorAll('input, textarea')].some(
    ({ value, defaultValue }) => value !== defaultValue,
  );
  if (!written) void route();
}

onRefused((problem) => {
  if (isOut) return;
  if (problem.status === 401) leaveUnknown();
  else askForKey(document.querySelector('#key-form'), problem.message, takeBetterKey);
});
document.querySelector('#sign-out').addEventListener('click', () => {
  signOut();
  leave('You have signed out.');
});
document.addEventListener('click', followFile(announce));
addEventListener('hashchange', route);
try {
  await tryKey();
} catch (problem) {
  // The view shows other errors.
  if (problem.status === 401) leaveUnknown();
}
if (!isOut) await enter();
