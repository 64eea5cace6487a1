/**
 * References of a page made absolute (WHATWG URL Standard, which is what browsers and so page authors follow).
 *
 * Differences from RFC 3986 and java.net.URL: hosts come out in ASCII, a URL without a path gets `/`, and leading
 * `..` segments that climb above the root are dropped.
 */

/** Longer references are not links that anyone follows; `data:` URLs of megabytes are the usual case. */
const longestReference = 16_384;

/** `ref` resolved against `base`, any scheme, fragment kept; null when either cannot be read. */
export function resolveUrl(ref: string, base: string): string | null {
  if (ref.length > longestReference) return null;
  return URL.parse(ref, base === '' ? undefined : base)?.href ?? null;
}
