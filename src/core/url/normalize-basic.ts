/**
 * urlnormalizer-basic: syntax-based normalization (RFC 3986 §6.2; Nutch `BasicURLNormalizer`).
 *
 * Scheme and host in lower case; escapes in the host decoded; default port, fragment and (for http and https) user
 * info dropped; an empty path is `/`; `.` and `..` resolved, `//` collapsed in the path and never in the query; escapes
 * normalized. The operation is idempotent. Most URLs of a crawl are in normal form already; a single test of the text
 * returns them unchanged.
 *
 * Deviations from Nutch: a backslash in the path of a web URL is a slash, and hosts that a browser reads as addresses
 * (`0x7f.1`, `[0:0::1]`) take the browser's form, so that row key, filters and connection agree on the host.
 */
import { normalizeEscapes } from './escapes.js';
import { hostToAscii, hostToUnicode } from './idn.js';
import { hasHostForm, splitUrl, type UrlComponents } from './url-components.js';
import { MAX_PORT } from '../address/port-range.js';

export interface NormalizeBasicOptions {
  /** `urlnormalizer.basic.host.idn`: the form of internationalized hosts; `''` leaves them as written. */
  readonly idn: '' | 'toAscii' | 'toUnicode';
  /** `urlnormalizer.basic.host.idna2008`: the standard for `idn`. */
  readonly idna2008: boolean;
  /** `urlnormalizer.basic.host.trim-trailing-dot`. */
  readonly trimTrailingDot: boolean;
}

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443, ftp: 21 };

/** A web URL in normal form, if `DOTS_OR_SLASHES` does not match. */
const PLAIN_WEB_URL = /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*\/[!$&-;=?-Z_a-z~]*$/;
const DOTS_OR_SLASHES = /\/[./]/;
/** In a plain host, an `xn--` label may decode to capitals or be invalid. */
const ENCODED_LABEL = 'xn--';

/**
 * The normal form of `url`, or null when it is malformed: no scheme, an invalid port or host.
 * URLs of schemes other than http, https, ftp and file are only trimmed.
 */
export function normalizeBasic(url: string, options: NormalizeBasicOptions): string | null {
  if (isNormalized(url)) return url;
  const text = trimControls(url).toWellFormed();
  const components = splitUrl(text);
  if (components === null) return null;
  const scheme = components.scheme.toLowerCase();
  if (scheme === 'file') return fileUrl(components);
  return scheme in defaultPorts ? networkUrl(scheme, components, options) : text;
}

/** Removes controls and spaces from both ends (Java's `trim`). */
function trimControls(url: string): string {
  let start = 0;
  let end = url.length;
  while (start < end && url.charCodeAt(start) <= 0x20) start++;
  while (end > start && url.charCodeAt(end - 1) <= 0x20) end--;
  return url.slice(start, end);
}

function isNormalized(url: string): boolean {
  if (!PLAIN_WEB_URL.test(url) || url.includes(ENCODED_LABEL)) return false;
  const query = url.indexOf('?');
  const path = url.slice(url.indexOf('/', 8), query < 0 ? url.length : query);
  return !DOTS_OR_SLASHES.test(path);
}

function networkUrl(scheme: string, components: UrlComponents, options: NormalizeBasicOptions): string | null {
  const slashes = scheme === 'ftp' ? components.path : components.path.replaceAll('\\', '/');
  const file = normalizePath(slashes) + normalizeEscapes(components.query);
  if (!components.host) return `${scheme}:${file}`;
  const host = normalizeHost(components.host, options);
  const port = normalizePort(components.port, scheme);
  if (host === null || port === null) return null;
  const userInfo = scheme === 'ftp' && components.userInfo !== null ? `${components.userInfo}@` : '';
  return `${scheme}://${userInfo}${host}${port}${file}`;
}

/** A file URL keeps the `//` before an empty host only if its path is in normal form, as in java.net.URL. */
function fileUrl(components: UrlComponents): string {
  const path = normalizePath(components.path);
  const file = path + normalizeEscapes(components.query);
  if (components.host) return `file://${components.host.toLowerCase()}${file}`;
  return components.host === '' && path === components.path ? `file://${file}` : `file:${file}`;
}

/** The path with normalized escapes, dot segments resolved and empty segments dropped; at least `/`. */
function normalizePath(path: string): string {
  const plain = normalizeEscapes(path.startsWith('/') ? path : `/${path}`);
  if (!DOTS_OR_SLASHES.test(plain)) return plain;
  const kept: string[] = [];
  const segments = plain.split('/');
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  const last = segments.at(-1);
  const isFolder = last === '' || last === '.' || last === '..';
  return kept.length === 0 ? '/' : `/${kept.join('/')}${isFolder ? '/' : ''}`;
}

function normalizePort(port: string | null, scheme: string): string | null {
  if (!port) return '';
  const number = Number(port);
  if (!/^\d{1,8}$/.test(port) || number > MAX_PORT) return null;
  return number === defaultPorts[scheme] ? '' : `:${number}`;
}

function normalizeHost(written: string, options: NormalizeBasicOptions): string | null {
  if (written.startsWith('[')) return browserHost(written);
  const decoded = decodeHost(written);
  if (decoded === null) return null;
  const named = convertHost(decoded.toLowerCase(), options);
  if (named === null || !hasHostForm(named)) return null;
  const host = options.trimTrailingDot && named.endsWith('.') ? named.slice(0, -1) : named;
  return /(?:^|\.)\d[^.]*\.?$/.test(host) ? browserHost(host) : host;
}

function convertHost(host: string, { idn, idna2008 }: NormalizeBasicOptions): string | null {
  if (idn === '') return host;
  return idn === 'toAscii' ? hostToAscii(host, idna2008) : hostToUnicode(host, idna2008);
}

/** Escapes in a host are UTF-8 (RFC 3986 §3.2.2); null when they are not. */
function decodeHost(host: string): string | null {
  if (!host.includes('%')) return host;
  try {
    return decodeURIComponent(host);
  } catch {
    return null;
  }
}

/** The host as a browser parses it: `127.0.0.1` of `0x7f.1`, `[::1]` of `[0:0::1]`; null when it is invalid. */
function browserHost(host: string): string | null {
  return URL.parse(`http://${host}/`)?.hostname ?? null;
}
