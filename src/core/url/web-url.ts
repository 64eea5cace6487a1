/**
 * URLs that may be stored: http, https or a scheme of an active protocol, well-formed, and parsed alike here and by the client.
 *
 * If two parsers disagree about the host of a URL, every rule about hosts can be bypassed. So a URL whose host and path
 * are not plain is also parsed by the WHATWG parser (which the clients use); if that rejects it, or returns another
 * host, it is malformed. So is one whose host is longer than DNS allows: an index contains the host twice.
 */
import { MAX_HOST_LENGTH } from './host-patterns.js';
import { hasHostForm, splitUrl, type UrlComponents } from './url-components.js';

export type WebUrl = { readonly url: string } | { readonly refused: 'malformed' | 'scheme' };

/** A URL that all parsers read alike. */
const PLAIN = /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?::[1-9]\d{0,3})?\/[!$&-;=?-Z_a-z~%]*$/;

/** Characters that the URL parser maps to a dot. */
const CLOSING_DOT = /[.\u3002\uff0e\uff61]$/u;

const malformed: WebUrl = { refused: 'malformed' };

const none: ReadonlySet<string> = new Set();

/** Escapes that would break a command of FTP or end the name of a file. */
const CONTROL_ESCAPE = /%0[0ad]/i;

/**
 * The URL to store: without fragment, user info and trailing dot of the host, with a path; or why it is refused. The row
 * key cannot represent that dot, and it must not bypass a rule about the host.
 * @param others schemes besides http and https: of `ftp` and `file`
 */
export function webUrl(text: string, others = none): WebUrl {
  if (PLAIN.test(text) && hasShortHost(text) && !text.includes('xn--')) return { url: text };
  if (!text.isWellFormed() || text.includes('\0')) return malformed;
  const components = splitUrl(text);
  if (components === null) return malformed;
  const scheme = components.scheme.toLowerCase();
  const isHttp = scheme === 'http' || scheme === 'https';
  if (!isHttp && !others.has(scheme)) return { refused: 'scheme' };
  if (!isHttp && CONTROL_ESCAPE.test(components.path)) return malformed;
  if (scheme === 'file') return fileUrl(components);
  const written = components.host?.toLowerCase() ?? '';
  const path = components.path || '/';
  const isBracketed = written.startsWith('[');
  if (!(isBracketed || hasHostForm(written)) || !path.startsWith('/')) return malformed;
  const host = isBracketed ? written : written.replace(CLOSING_DOT, '');
  if (Buffer.byteLength(host) > MAX_HOST_LENGTH) return malformed;
  const url = `${scheme}://${host}${components.port ? `:${components.port}` : ''}${path}${components.query}`;
  return isReadAlike(url, host) ? { url } : malformed;
}

/** Whether the host is surely short enough, by where the path begins; a port counts as part of it. */
const hasShortHost = (url: string): boolean =>
  url.indexOf('/', 'https://'.length) <= 'http://'.length + MAX_HOST_LENGTH;

function isReadAlike(url: string, host: string): boolean {
  const read = URL.parse(url);
  return read !== null && !read.hostname.endsWith('.') && read.hostname === URL.parse(`http://${host}/`)?.hostname;
}

/** A file of this machine: the host is empty, or `localhost`, which means the same. */
function fileUrl({ host, port, path, query }: UrlComponents): WebUrl {
  const isHere = host === null || host === '' || host.toLowerCase() === 'localhost';
  const url = `file://${path}${query}`;
  return isHere && !port && path.startsWith('/') && URL.parse(url)?.hostname === '' ? { url } : malformed;
}
