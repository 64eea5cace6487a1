/**
 * URLs that may be stored: http or https, well-formed, and the same to us as to the client that will connect.
 *
 * Two readers who disagree about the host of a URL are a way past every rule about hosts. So a URL whose host and path
 * are not plain is also read by the WHATWG parser (which the HTTP client uses), and one that it refuses, or whose host
 * it reads otherwise, is malformed. So is one whose host is longer than a name can be: an index holds the host twice.
 */
import { MAX_HOST_LENGTH } from './host-patterns.js';
import { hasHostForm, splitUrl } from './url-parts.js';

export type WebUrl = { readonly url: string } | { readonly refused: 'malformed' | 'scheme' };

/** Nothing in it that two parsers could read in two ways. */
const plain = /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?::[1-9]\d{0,3})?\/[!$&-;=?-Z_a-z~%]*$/;

/** Each is a dot to those who connect. */
const closingDot = /[.\u3002\uff0e\uff61]$/u;

const malformed: WebUrl = { refused: 'malformed' };

/**
 * The URL as it may be stored: without fragment, user info and the dot that may close a host, with a path; or why it may
 * not. The row key has no place for that dot, and a rule about a host must not be passed by it.
 */
export function webUrl(given: string): WebUrl {
  if (plain.test(given) && hasShortHost(given) && !given.includes('xn--')) return { url: given };
  if (!given.isWellFormed() || given.includes('\0')) return malformed;
  const parts = splitUrl(given);
  if (parts === null) return malformed;
  const scheme = parts.scheme.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') return { refused: 'scheme' };
  const written = parts.host?.toLowerCase() ?? '';
  const path = parts.path || '/';
  const isBracketed = written.startsWith('[');
  if (!(isBracketed || hasHostForm(written)) || !path.startsWith('/')) return malformed;
  const host = isBracketed ? written : written.replace(closingDot, '');
  if (Buffer.byteLength(host) > MAX_HOST_LENGTH) return malformed;
  const url = `${scheme}://${host}${parts.port ? `:${parts.port}` : ''}${path}${parts.query}`;
  return isReadAlike(url, host) ? { url } : malformed;
}

/** Whether a host cannot be too long, by where the path begins; a port counts as part of it. */
const hasShortHost = (url: string): boolean =>
  url.indexOf('/', 'https://'.length) <= 'http://'.length + MAX_HOST_LENGTH;

function isReadAlike(url: string, host: string): boolean {
  const read = URL.parse(url);
  return read !== null && !read.hostname.endsWith('.') && read.hostname === URL.parse(`http://${host}/`)?.hostname;
}
