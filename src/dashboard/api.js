/**
 * Calls of the API. A key given on the page is kept for this tab (sessionStorage), where no other site and no other port of
 * this host can read it, and sent in the Authorization header to this server only, never in a URL.
 */

const KEY_NAME = 'orbweaver.key';
let keyNow = readKey();

function readKey() {
  try {
    return sessionStorage.getItem(KEY_NAME) ?? '';
  } catch {
    return ''; // Storage is disabled: the key is kept as long as the page is open.
  }
}

/** Whether a key of this page is in use. */
export const isSignedIn = () => keyNow !== '';

/** The scope or role of the key, from the last answer; null if the server has no keys, or before the first answer. */
let scopeNow = null;
const scopes = ['read', 'run', 'admin'];

/**
 * Whether the key in use has this scope. Only used to choose what is shown: the server decides.
 * @param {string} [role] a role that is also sufficient
 */
export const may = (needed, role) =>
  scopeNow === null || scopeNow === role || scopes.indexOf(scopeNow) >= scopes.indexOf(needed);

/** The scope of the key in use, for messages. */
export const scopeInUse = () => scopeNow;

/** The value of the Authorization header: `keyOfUser` returns a complete one, with a blank; a key has none. */
const authorizationOf = (key) => (key.includes(' ') ? key : `Bearer ${key}`);

/** A name and a password as a value that `send` accepts as a key. */
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

export const NO_ANSWER = 'The server does not answer.';
/** Time within which an answer must begin. The server itself allows a statement 5 s; some requests wait for others. */
const ANSWER_MS = 30_000;

/** A server that asks for a longer pause is asked again after this time. */
const MAX_RETRY_MS = 300_000;

/** An error answer (RFC 9457), or no answer at all (`status` 0). */
export class Problem extends Error {
  /**
   * @param {string | null} [scope] of the key that was sent
   * @param [retryAfter] milliseconds that the server asks to wait
   */
  constructor(status, document, scope = null, retryAfter = 0) {
    super(document.detail ?? document.title ?? `The server answered ${status}.`);
    this.status = status;
    this.scope = scope;
    this.retryAfter = retryAfter;
    this.code = document.code ?? '';
    /** @type {{ field: string, message: string }[]} */
    this.errors = document.errors ?? [];
  }
}

/**
 * Tests a key, and uses it if the server knows it; otherwise the key in use does not change. Throws Problem.
 * @param {string} [key] default: the one in use
 */
export async function tryKey(key = keyNow) {
  const scopeOf = ({ headers, body }) => {
    void body.cancel(); // A body that is not read keeps one of the six connections of a browser.
    return headers.get('Orbweaver-Scope');
  };
  const scope = await send('GET', 'v1/crawls?limit=1', { key }).then(scopeOf, (problem) => {
    // The key of a role that may not list crawls is valid, too.
    if (problem.code === 'SCOPE_MISSING') return problem.scope;
    throw problem;
  });
  if (key !== keyNow) useKey(key);
  scopeNow = scope;
}

/** Asks the user for a key with a wider scope. */
export const wantBetterKey = (message) => refused(new Problem(403, { detail: message }));

let refused = () => undefined;
/** Calls `listener` with each answer that requires a key, or one with a wider scope. */
export const onRefused = (listener) => void (refused = listener);

/**
 * Sends a request and returns its response. Throws Problem, or AbortError when `signal` is aborted.
 * @param aside a background request: if its scope is missing, the user is not asked for another key
 * @param key another key than the one in use; the caller handles its errors
 */
export async function send(method, path, { headers = {}, body, signal, aside = false, key } = {}) {
  const used = key ?? keyNow;
  const authorization = used && { Authorization: authorizationOf(used) };
  // With this header the server sends no challenge that opens the login dialog of the browser.
  const all = { ...headers, 'X-Requested-With': 'XMLHttpRequest', ...authorization };
  // With a key of this page, credentials that the browser has stored must not be sent.
  const options = { method, body, headers: all, credentials: used ? 'omit' : 'same-origin' };
  const response = await fetchInTime(path, options, signal);
  const scope = response.headers.get('Orbweaver-Scope');
  if (used === keyNow && scope) scopeNow = scope;
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const problem = new Problem(response.status, answer, scope, retryAfterOf(response));
  // An answer to a key that is no longer in use says nothing about the current one.
  const isMissing = response.status === 401 ? used === keyNow : problem.code === 'SCOPE_MISSING' && !aside;
  if (isMissing && key === undefined) refused(problem);
  throw problem;
}

/** Milliseconds of a header Retry-After; 0 without one. A date, which only proxies send, counts as none. */
const retryAfterOf = ({ headers }) => Math.min(MAX_RETRY_MS, 1_000 * (Number(headers.get('Retry-After')) || 0));

/** fetch, which by itself waits forever on a connection that is dead without having been closed. */
async function fetchInTime(path, options, signal) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  try {
    return await fetch(path, { ...options, signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal });
  } catch (error) {
    if (error.name === 'AbortError' && !late.signal.aborted) throw error;
    throw new Problem(0, { detail: NO_ANSWER });
  } finally {
    clearTimeout(timer);
  }
}

/** The value of a JSON answer. An answer that is cut, or comes from a proxy, is none. */
const jsonOf = (response) =>
  response.json().catch((error) => {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, { detail: 'The answer of the server is not complete.' });
  });

/** Reads JSON. */
export async function read(path, signal, { aside } = {}) {
  return jsonOf(await send('GET', path, { signal, aside, headers: { Accept: 'application/json' } }));
}

/** Posts JSON and reads JSON. */
export async function post(path, value, { signal, headers, aside } = {}) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return jsonOf(
    await send('POST', path, { body, signal, aside, headers: { Accept: 'application/json', ...type, ...headers } }),
  );
}

/** A path with its parts encoded: path`v1/crawls/${id}`. */
export const path = (texts, ...parts) =>
  texts.map((text, at) => text + (at < parts.length ? encodeURIComponent(parts[at]) : '')).join('');

/** `?crawlId=k1&url=…`, or ''. Empty parameters are omitted, except crawlId: an empty id names a crawl. */
export function query(parameters) {
  const isGiven = ([name, value]) => value !== null && value !== undefined && (value !== '' || name === 'crawlId');
  const entries = Object.entries(parameters).filter(isGiven);
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : '';
}

/** An Idempotency-Key for a creating request. (randomUUID is not available over plain http.) */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
