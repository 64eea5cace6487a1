/**
 * References of a page made absolute (WHATWG URL Standard, which is what browsers and so page authors follow).
 *
 * Differences from RFC 3986 and java.net.URL: hosts come out in ASCII, a URL without a path gets `/`, leading `..`
 * segments that climb above the root are dropped, and a query is encoded in the charset of the page.
 */
import { isUnicodeCharset } from './legacy-charsets.js';
import { encodeQuery } from './query-charset.js';

/** Longer references are not links that anyone follows; `data:` URLs of megabytes are the usual case. */
export const MAX_REFERENCE_LENGTH = 16_384;
const special = /^(?:https?|ftp|file):/;

/**
 * `ref` resolved against `base`, any scheme, fragment kept; null when either cannot be read.
 * @param charset of the page that the reference stands in, as a label of the Encoding Standard in lower case
 */
export function resolveUrl(ref: string, base: string, charset = 'utf-8'): string | null {
  if (ref.length > MAX_REFERENCE_LENGTH) return null;
  const resolved = URL.parse(ref, base === '' ? undefined : base)?.href ?? null;
  if (isUnicodeCharset(charset) || resolved === null || !special.test(resolved)) return resolved;
  const encoded = withEncodedQuery(ref, charset);
  return encoded === ref ? resolved : (URL.parse(encoded, base === '' ? undefined : base)?.href ?? null);
}

/** Only what is not ASCII, or would switch the set of ISO-2022-JP, depends on the charset. */
const dependsOnCharset = /[\p{Cc}\u0080-\u{10ffff}]/u;

function withEncodedQuery(ref: string, charset: string): string {
  const start = ref.indexOf('?') + 1;
  const hash = ref.indexOf('#');
  const end = hash < 0 ? ref.length : hash;
  if (start === 0 || start > end || !dependsOnCharset.test(ref.slice(start, end))) return ref;
  // The parser would take these away before it encodes.
  const query = ref.slice(start, end).replace(/[\t\n\r]/g, '');
  return ref.slice(0, start) + encodeQuery(hash < 0 ? query.trimEnd() : query, charset) + ref.slice(end);
}
