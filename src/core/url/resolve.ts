/**
 * Resolves references of a page (WHATWG URL Standard, which browsers and so page authors follow).
 *
 * Differences from RFC 3986 and java.net.URL: hosts are converted to ASCII, a URL without a path gets `/`, leading `..`
 * segments above the root are dropped, and a query is encoded in the charset of the page.
 */
import { isUnicodeCharset } from './legacy-charsets.js';
import { encodeQuery } from './query-charset.js';

/** Longer references are ignored; most of them are `data:` URLs of megabytes. */
export const MAX_REFERENCE_LENGTH = 16_384;
const SPECIAL = /^(?:https?|ftp|file):/;

/**
 * `ref` resolved against `base`, any scheme, fragment kept; null when either is invalid.
 * @param charset of the page with the reference, as a label of the Encoding Standard in lower case
 */
export function resolveUrl(ref: string, base: string, charset = 'utf-8'): string | null {
  if (ref.length > MAX_REFERENCE_LENGTH) return null;
  const resolved = URL.parse(ref, base === '' ? undefined : base)?.href ?? null;
  if (isUnicodeCharset(charset) || resolved === null || !SPECIAL.test(resolved)) return resolved;
  const encoded = withEncodedQuery(ref, charset);
  return encoded === ref ? resolved : (URL.parse(encoded, base === '' ? undefined : base)?.href ?? null);
}

/** Only characters outside ASCII and control bytes of ISO-2022-JP depend on the charset. */
const DEPENDS_ON_CHARSET = /[\p{Cc}\u0080-\u{10ffff}]/u;

function withEncodedQuery(ref: string, charset: string): string {
  const start = ref.indexOf('?') + 1;
  const hash = ref.indexOf('#');
  const end = hash < 0 ? ref.length : hash;
  if (start === 0 || start > end || !DEPENDS_ON_CHARSET.test(ref.slice(start, end))) return ref;
  // The URL parser removes these before it encodes.
  const query = ref.slice(start, end).replace(/[\t\n\r]/g, '');
  return ref.slice(0, start) + encodeQuery(hash < 0 ? query.trimEnd() : query, charset) + ref.slice(end);
}
