/**
 * A range of row keys.
 *
 * Keys are sorted by byte and the pages of a site are adjacent, so all keys with one prefix are one range: a host, a domain,
 * a folder.
 */
import { byBytes } from '../byte-order.js';
import { reverseHost, reverseUrl } from './row-key.js';
import { type UrlComponents, splitUrl } from './url-components.js';

/** Bounds are row keys; `from` is inclusive, `before` is not. */
export interface KeyRange {
  from?: string;
  before?: string;
}

export const keysWithPrefix = (prefix: string): KeyRange => ({ from: prefix, before: behindPrefix(prefix) });

export const keysOfHost = (host: string): KeyRange => keysWithPrefix(`${host}:`);

/** The smallest text that is greater than all that begin with `prefix`; undefined if there is none. */
export function behindPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (letter) => letter.codePointAt(0)!);
  for (let point = points.pop(); point !== undefined; point = points.pop()) {
    // Surrogates are no characters: after U+D7FF comes U+E000.
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    if (next <= 0x10ffff) return String.fromCodePoint(...points, next);
  }
  return undefined;
}

/** The intersection of both ranges. */
export function within(a: KeyRange, b: KeyRange): KeyRange {
  const from = [a.from, b.from].filter((bound) => bound !== undefined).toSorted(byBytes);
  const before = [a.before, b.before].filter((bound) => bound !== undefined).toSorted(byBytes);
  return { from: from.at(-1), before: before[0] };
}

/** A URL begins with a scheme and two slashes; a row key has its host before the first colon, and a scheme after it. */
const URL_BEGIN = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Whether a text given by a client is a URL or the beginning of one, and not of a row key. */
export const beginsAsUrl = (text: string): boolean => URL_BEGIN.test(text);

/** Whether a text can bound a range of keys: not if it has `://` like a URL, but no valid scheme before it. */
export const isKeyBound = (text: string): boolean => beginsAsUrl(text) || !/^[^:]*:\/\//.test(text);

/** The row key that bounds a range given as a URL or as the beginning of a row key. */
export const boundOf = (text: string): string => (beginsAsUrl(text) ? boundOfUrl(text) : text);

/**
 * The keys that a prefix given by a client means. `http://site.test/docs/`: URLs of that scheme, host and port whose path
 * begins so (no path: all of them). Anything else is the beginning of a row key: `org.apache.` is every host below
 * apache.org, `org.apache.nutch:` one host.
 * @param hostKey the reversed host of the URL, if the crawl has it in another form than in ASCII
 * @returns null for a URL whose host no browser would accept.
 */
export function keysWithUrlPrefix(prefix: string, hostKey?: string): KeyRange | null {
  if (!beginsAsUrl(prefix)) return keysWithPrefix(prefix);
  const components = splitUrl(prefix)!;
  const key = storedKey({ ...components, path: components.path || '/' }, hostKey);
  return key === null ? null : keysWithPrefix(key);
}

/**
 * The row key that bounds a range given as URLs: its host and the characters of its path as they are stored.
 * @param hostKey the reversed host of the URL, if the crawl has it in another form than in ASCII
 * @throws MalformedUrlError when the text has no scheme.
 */
export function boundOfUrl(url: string, hostKey?: string): string {
  const components = splitUrl(url);
  return (components && storedKey(components, hostKey)) ?? reverseUrl(url);
}

/** Null for a host that no browser would accept. */
function storedKey({ scheme, host, port, path, query }: UrlComponents, hostKey?: string): string | null {
  const read = URL.parse(`${scheme}://${host}${port ? `:${port}` : ''}/`);
  if (read === null) return null;
  const rest = `${path === '' && query !== '' ? '/' : path}${query}`
    .toWellFormed()
    .replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
  const origin = `${read.protocol}${read.port}`.replace(/:$/, '');
  return `${hostKey ?? reverseHost(read.hostname)}:${origin}${rest}`;
}

/** The host of a prefix that is the beginning of a URL; undefined for the beginning of a row key. */
export const hostOfUrlPrefix = (prefix: string): string | undefined =>
  (beginsAsUrl(prefix) && splitUrl(prefix)?.host) || undefined;
