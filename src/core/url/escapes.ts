/**
 * Normalizes percent-escapes of path and query (RFC 3986 §§2.1 to 2.4 and 6.2.2).
 *
 * Letters, digits and `-._~` are never escaped; all other escapes stay, with upper-case digits; characters not allowed in
 * a URL are escaped as UTF-8; a `%` that begins no escape becomes `%25`. The operation is idempotent.
 */

/** Any character that may need normalizing. */
const SUSPICIOUS = /[^!#$&-;=?-Z\\_a-z~]/;
/** An escape; one character that must be escaped; a run of characters outside ASCII. */
const ESCAPE_OR_BAD = /%[0-9A-Fa-f]{2}|[^!#$&-;=?-Z\\_a-z~\u0080-\uffff]|[\u0080-\uffff]+/g;
/** RFC 3986 §2.3. */
export const UNRESERVED = /[A-Za-z0-9\-._~]/;

/** `text` (path or query, well-formed UTF-16) with its escapes in normal form. */
export function normalizeEscapes(text: string): string {
  return SUSPICIOUS.test(text) ? text.replace(ESCAPE_OR_BAD, normalizeOne) : text;
}

function normalizeOne(matched: string): string {
  if (matched.length === 3 && matched.startsWith('%')) {
    const char = String.fromCharCode(Number.parseInt(matched.slice(1), 16));
    return UNRESERVED.test(char) ? char : matched.toUpperCase();
  }
  const code = matched.charCodeAt(0);
  return code < 0x80 ? escapeByte(code) : encodeURIComponent(matched);
}

const escapeByte = (code: number) => `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
