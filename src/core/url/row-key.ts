/**
 * The row key: a URL with its host reversed, so that the pages of a site are adjacent in an ordered table.
 *
 * `http://www.example.com:8983/to?a=b` has the key `com.example.www:http:8983/to?a=b`: host labels reversed, scheme,
 * the port where one is written, then path and query byte for byte. So `com.example.www:` is the prefix of a host and
 * `com.example` that of a domain (Nutch 2.x `TableUtil`, docs/semantics/urls.md). Fragment and user info are
 * dropped. The text before the first colon is the column `host` of every table that grows with the web.
 *
 * Two differences from Nutch: an address is not a list of labels, so IP hosts are not reversed; and the colons of an
 * IPv6 literal are written `-` (`[2001-db8--1]:http/`), because the first colon must end the host.
 */
import { hasIpv4Form } from './ip-host.js';
import { splitUrl } from './url-components.js';

/** Longest key in bytes of UTF-8: an entry of a PostgreSQL B-tree is at most 2,704 bytes. */
export const MAX_ROW_KEY_BYTES = 2000;

/** A text without a scheme has no row key. */
export class MalformedUrlError extends Error {
  override readonly name = 'MalformedUrlError';
}

/**
 * The row key of a URL.
 * @throws MalformedUrlError when the text has no scheme.
 */
export function reverseUrl(url: string): string {
  const key = rowKeyOrNull(url);
  if (key === null) throw new MalformedUrlError(`no scheme in ${JSON.stringify(url.slice(0, 200))}`);
  return key;
}

/** The row key of a URL; null for a text without a scheme. */
export function rowKeyOrNull(url: string): string | null {
  const components = splitUrl(url);
  if (components === null) return null;
  const port = components.port ? `:${components.port}` : '';
  const slash = components.path === '' && components.query !== '' ? '/' : '';
  return `${reverseHost(components.host ?? '')}:${components.scheme}${port}${slash}${components.path}${components.query}`;
}

/** The URL of a row key. Inverse of `reverseUrl` for every URL without user info, fragment and empty labels. */
export function unreverseUrl(key: string): string {
  const slash = key.indexOf('/');
  const head = slash < 0 ? key : key.slice(0, slash);
  const hostEnd = head.indexOf(':');
  const schemeEnd = head.indexOf(':', hostEnd + 1);
  const scheme = head.slice(hostEnd + 1, schemeEnd < 0 ? head.length : schemeEnd);
  const port = schemeEnd < 0 ? '' : head.slice(schemeEnd);
  return `${scheme}://${unreverseHost(head.slice(0, Math.max(hostEnd, 0)))}${port}${key.slice(head.length)}`;
}

/** The reversed host of a row key: its text up to the first colon. */
export function hostKeyOf(key: string): string {
  const colon = key.indexOf(':');
  return colon < 0 ? key : key.slice(0, colon);
}

/** `www.example.com` as `com.example.www`; empty labels (a trailing dot) are dropped, IP hosts are not reversed. */
export function reverseHost(host: string): string {
  if (host.startsWith('[')) return host.replaceAll(':', '-');
  return hasIpv4Form(host) ? host : reverseLabels(host);
}

export function unreverseHost(hostKey: string): string {
  if (hostKey.startsWith('[')) return hostKey.replaceAll('-', ':');
  return hasIpv4Form(hostKey) ? hostKey : reverseLabels(hostKey);
}

/** Appends label by label from the end, without an array, as this runs for each outlink of each page. */
function reverseLabels(name: string): string {
  let reversed = '';
  for (let end = name.length; end > 0;) {
    const dot = name.lastIndexOf('.', end - 1);
    if (dot + 1 < end) reversed += (reversed === '' ? '' : '.') + name.slice(dot + 1, end);
    end = dot;
  }
  return reversed;
}

/** Whether a text has the form of a row key: host, colon, scheme, then a port, a path or both. */
export const isRowKey = (text: string): boolean => /^[^:/]*:[a-z][a-z0-9+.-]*(?::\d+)?(?:\/|$)/.test(text);

/** Whether a key is at most `MAX_ROW_KEY_BYTES` long. */
export function fitsRowKey(key: string): boolean {
  if (key.length * 3 <= MAX_ROW_KEY_BYTES) return true;
  return key.length <= MAX_ROW_KEY_BYTES && Buffer.byteLength(key) <= MAX_ROW_KEY_BYTES;
}
