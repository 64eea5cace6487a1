/**
 * Splits a URL into its components, by delimiters only (RFC 3986 §3).
 *
 * Row keys, normalizers and filters process millions of URLs, most of them already in normal form, so the components
 * are slices of the text: not decoded, not in lower case, without defaults. A missing component is null (no authority) or empty
 * (nothing between two delimiters). A backslash ends the authority of a URL, as in every browser, so that the host of
 * `http://a.com\@b.com/` is a.com here too.
 */
export interface UrlComponents {
  /** As written, without the colon. */
  scheme: string;
  /** Text before the last `@` of the authority, or null. */
  userInfo: string | null;
  /** Host as written; IPv6 with its brackets; null when the URL has no `//`. */
  host: string | null;
  /** Digits after the host's colon, `''` for a bare colon, null for none. */
  port: string | null;
  /** Path as written, possibly empty. */
  path: string;
  /** Query with its `?`, or `''`. */
  query: string;
}

const SCHEME_SHAPE = /^[A-Za-z][A-Za-z0-9+.-]*$/;

/** The end of the authority that starts at `from`: the first of `/ \ ? #`, or the end of the text. */
function authorityEnd(url: string, from: number): number {
  for (let i = from; i < url.length; i++) {
    const c = url.charCodeAt(i);
    if (c === 0x2f || c === 0x3f || c === 0x23 || c === 0x5c) return i;
  }
  return url.length;
}

/** Splits `url`; null when it has no scheme. The fragment is dropped. */
export function splitUrl(url: string): UrlComponents | null {
  const colon = url.indexOf(':');
  if (colon < 1 || !SCHEME_SHAPE.test(url.slice(0, colon))) return null;
  const hasAuthority = url.charCodeAt(colon + 1) === 0x2f && url.charCodeAt(colon + 2) === 0x2f;
  const pathStart = hasAuthority ? authorityEnd(url, colon + 3) : colon + 1;
  const hash = url.indexOf('#', pathStart);
  const end = hash < 0 ? url.length : hash;
  const question = url.indexOf('?', pathStart);
  const pathEnd = question < 0 || question > end ? end : question;
  const authority = hasAuthority ? splitAuthority(url.slice(colon + 3, pathStart)) : noAuthority;
  return {
    scheme: url.slice(0, colon),
    ...authority,
    path: url.slice(pathStart, pathEnd),
    query: url.slice(pathEnd, end),
  };
}

/** The segments of the path and the parameters of the query, as written, empty ones too. */
export function segmentsAndParameters(url: string): { segments: string[]; parameters: string[] } {
  const { path = '', query = '' } = splitUrl(url) ?? {};
  return { segments: path.split('/').slice(1), parameters: query === '' ? [] : query.slice(1).split('&') };
}

type Authority = Pick<UrlComponents, 'userInfo' | 'host' | 'port'>;

const noAuthority: Authority = { userInfo: null, host: null, port: null };

function splitAuthority(authority: string): Authority {
  const at = authority.lastIndexOf('@');
  const rest = at < 0 ? authority : authority.slice(at + 1);
  const colon = rest.indexOf(':', rest.startsWith('[') ? rest.indexOf(']') : 0);
  return {
    userInfo: at < 0 ? null : authority.slice(0, at),
    host: colon < 0 ? rest : rest.slice(0, colon),
    port: colon < 0 ? null : rest.slice(colon + 1),
  };
}

/** The host of a URL in lower case, `''` when it has none (also when it has no scheme). */
export function hostOfUrl(url: string): string {
  const colon = url.indexOf(':');
  if (!url.startsWith('://', colon) || !SCHEME_SHAPE.test(url.slice(0, colon))) return '';
  return (splitAuthority(url.slice(colon + 3, authorityEnd(url, colon + 3))).host ?? '').toLowerCase();
}

/** Scheme and authority of a URL as written (`http://host:80`); `''` without an authority. */
export function originOf(url: string): string {
  const colon = url.indexOf(':');
  return url.startsWith('://', colon) ? url.slice(0, authorityEnd(url, colon + 3)) : '';
}

/**
 * Labels of characters that WHATWG does not forbid in a domain, without quotes and braces. Empty labels are allowed only
 * as a trailing dot, as the row key drops them.
 */
const HOST_FORM = /^(?:[!$&'()*+,\-0-9;=A-Z_a-z~\u0080-\uffff]+(?:\.|$))+$/;

/** Whether a decoded host name is free of characters that have another meaning in a URL. */
export function hasHostForm(host: string): boolean {
  return HOST_FORM.test(host);
}
