/**
 * The API as this page calls it. Whoever has signed in by the browser's own dialog is sent along by the browser; a key given
 * on the page is kept for this tab (sessionStorage) and sent as a Bearer token, to our own server only.
 */

const keyName = 'orbweaver.key';
let keyNow = readKey();

function readKey() {
  try {
    return sessionStorage.getItem(keyName) ?? '';
  } catch {
    return ''; // Storage is switched off: the key lives as long as the page.
  }
}

/** Uses another key from now on; '' for none. */
export function useKey(key) {
  keyNow = key;
  try {
    if (key) sessionStorage.setItem(keyName, key);
    else sessionStorage.removeItem(keyName);
  } catch {
    // As above.
  }
}

/** An answer that is no success (RFC 9457), or no answer at all (`status` 0). */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? `The server answered ${status}.`);
    this.status = status;
    this.code = document.code ?? '';
    /** @type {{ field: string, message: string }[]} */
    this.errors = document.errors ?? [];
  }
}

let refused = () => undefined;
/** Calls `listener` with each answer that asks for a key, or for a better one. */
export const onRefused = (listener) => void (refused = listener);

/**
 * Sends a request and answers its response. Throws Problem; and AbortError when `signal` says so.
 * @param aside nobody asked for it himself: that this key may not do it asks nobody for a better one
 */
export async function send(method, path, { headers = {}, body, signal, aside = false } = {}) {
  const key = keyNow && { Authorization: `Bearer ${keyNow}` };
  // With a key of our own the browser's one stays out of it, and its dialog too.
  const options = { method, body, signal, headers: { ...headers, ...key }, credentials: key ? 'omit' : 'same-origin' };
  const response = await fetch(path, options).catch((error) => {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, { detail: 'The server does not answer.' });
  });
  if (response.ok) return response;
  const problem = new Problem(response.status, await response.json().catch(() => ({})));
  if (response.status === 401 || (problem.code === 'SCOPE_MISSING' && !aside)) refused(problem);
  throw problem;
}

/** Reads JSON. */
export async function read(path, signal, { aside } = {}) {
  return (await send('GET', path, { signal, aside, headers: { Accept: 'application/json' } })).json();
}

/** Posts JSON and reads JSON. */
export async function post(path, value, { signal, headers, aside } = {}) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return (
    await send('POST', path, { body, signal, aside, headers: { Accept: 'application/json', ...type, ...headers } })
  ).json();
}

/** A path with its parts encoded: path`v1/crawls/${id}`. */
export const path = (texts, ...parts) =>
  texts.map((text, at) => text + (at < parts.length ? encodeURIComponent(parts[at]) : '')).join('');

/** A query string of what is given. */
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}

/** A key for a request that makes something. (randomUUID is not there on plain http.) */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
