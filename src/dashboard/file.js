/**
 * Files of the API, such as the metrics or the text of a page. A link cannot send a key, so with a key in use a script requests
 * the file and shows it in a view, or saves it.
 */
import { isSignedIn, send } from './api.js';
import { el, go, viewAddress } from './element.js';

/** Allowed paths: the address of this view may come from any site, and some GET routes of the API change state. */
const shown = /^(?:metrics|health\/ready|openapi\.json|v1\/pages\/[^/?#]+\/text(?:\?crawlId=[\w.-]*)?)$/;

/** A listener that follows a link to a file of the API with the key in use. */
export const followFile = (announce) => (event) => {
  const link = event.target.closest?.('a[data-file]');
  if (!link || !isSignedIn()) return;
  event.preventDefault();
  const path = link.getAttribute('href');
  if (link.hasAttribute('download')) void save(path).catch(({ message }) => announce(message));
  else go(viewAddress('file', { path }));
};

async function save(path) {
  const bytes = await (await send('GET', path)).blob();
  // Whatever its Content-Type, the browser must not open it as a document of this origin.
  const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  el('a', { href: address, download: 'content' }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export async function showFile({ path = '' }, { main, signal }) {
  if (!shown.test(path)) throw new Error('This is no file that can be shown here.');
  const text = await (await send('GET', path, { signal })).text();
  signal.throwIfAborted();
  const words = decodeURIComponent(path.split('?')[0]);
  main.append(el('h1', { class: 'url' }, el('bdi', {}, words)), el('pre', { class: 'file', tabindex: '0' }, text));
}
