/**
 * The API as this page calls it. A key given on the page is kept for this tab (sessionStorage), so that no other site and no
 * other port of this host gets it, and sent in the Authorization header, to our own server only: never in an address.
 */

const KEY_NAME = 'orbweaver.key';
let keyNow = readKey();

function readKey() {
  try {
    return sessionStorage.getItem(KEY_NAME) ?? '';
  } catch {
    return ''; // Storage is switched off: the key lives as long as the page.
  }
}

/** Whether a key of this page is in use. */
export const isSignedIn = () => keyNow !== '';

/** What the server said of the key: a scope or role; null where it has no keys, or has not been asked yet. */
let scopeNow = null;
const scopes = ['read', 'run', 'admin'];

/**
 * Whether the key in use may do what needs this scope. Only a hint of what to show: the server decides.
 * @param {string} [role] that may do it, too
 */
export const may = (needed, role) =>
  scopeNow === null || scopeNow === role || scopes.indexOf(scopeNow) >= scopes.indexOf(needed);

/** The scope of the key in use, for words. */
export const scopeInUse = () => scopeNow;

/** What goes into the header: of a name and a password it is written down whole, a key has no blank. */
const authorizationOf = (key) => (key.includes(' ') ? key : `Bearer ${key}`);

/** A name and a password in the form of a key. */
export function keyOfUser(name, password) {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Uses another key from now on; '' for none. */
export function useKey(key) {
  keyNow = key;
  scopeNow = null;
  try {
    if (key) sessionStorage.setItem(KEY_NAME, key);
    else sessionStorage.removeItem(KEY_NAME);
  } catch {
    // As above.
  }
}

/** An answer that is no success (RFC 9457), or no answer at all (`status` 0). */
export class Problem extends Error {
  /** @param {string | null} [scope] of the key that was sent */
  constructor(status, document, scope = null) {
    super(document.detail ?? document.title ?? `The server answered ${status}.`);
    this.status = status;
    this.scope = scope;
    this.code = document.code ?? '';
    /** @type {{ field: string, message: string }[]} */
    this.errors = document.errors ?? [];
  }
}

/**
 * Asks the server about a key, and uses it when it is one; the key that was in use stays otherwise. Throws Problem.
 * @param {string} [key] by default the one in use
 */
export async function tryKey(key = keyNow) {
  const scopeOf = ({ headers }) => headers.get('Orbweaver-Scope');
  const scope = await send('GET', 'v1/crawls?limit=1', { key }).then(scopeOf, (problem) => {
    // A role that may not list crawls is a key all the same.
    if (problem.code === 'SCOPE_MISSING') return problem.scope;
    throw problem;
  });
  if (key !== keyNow) useKey(key);
  scopeNow = scope;
}

/** Asks whoever looks for a key that may do more. */
export const wantBetterKey = (message) => refused(new Problem(403, { detail: message }));

let refused = () => undefined;
/** Calls `listener` with each answer that asks for a key, or for a better one. */
export const onRefused = (listener) => void (refused = listener);

/**
 * Sends a request and returns its response. Throws Problem; and AbortError when `signal` says so.
 * @param aside nobody asked for it himself: that this key may not do it asks nobody for a better one
 * @param key another one than that in use: what is wrong with it is for whoever calls
 */
export async function send(method, path, { headers = {}, body, signal, aside = false, key } = {}) {
  const used = key ?? keyNow;
  const authorization = used && { Authorization: authorizationOf(used) };
  // The server asks no browser that sends this to open its dialog for a name and a password.
  const all = { ...headers, 'X-Requested-With': 'XMLHttpRequest', ...authorization };
  // With a key of our own the browser's one stays out of it.
  const options = { method, body, signal, headers: all, credentials: used ? 'omit' : 'same-origin' };
  const response = await fetch(path, options).catch((error) => {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, { detail: 'The server does not answer.' });
  });
  const scope = response.headers.get('Orbweaver-Scope');
  if (used === keyNow && scope) scopeNow = scope;
  if (response.ok) return response;
  const problem = new Problem(response.status, await response.json().catch(() => ({})), scope);
  // An answer to a key that is no longer in use tells nothing about the one that is.
  const isMissing = response.status === 401 ? used === keyNow : problem.code === 'SCOPE_MISSING' && !aside;
  if (isMissing && key === undefined) refused(problem);
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
