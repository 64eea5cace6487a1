/**
 * Path patterns of robots.txt (RFC 9309 §§2.2.2 and 2.2.3): `*` for any octets, `$` for the end.
 *
 * Pattern and path are normalized first: unreserved characters are never escaped, octets outside ASCII and characters not
 * allowed in a URI (`<`, `[`, `|` …) always are, escapes have upper-case digits. After a `?` the delimiters `:`, `/`, `?`
 * and `@` are equivalent to their escapes, as in the examples of the standard; in a path they are not. A pattern is then a
 * sequence of literal pieces between stars. Matching each piece at its first position is sufficient, so there is no
 * backtracking: a pattern of many stars costs no more than a plain one.
 */
import { UNRESERVED } from '../url/escapes.js';

export interface PathPattern {
  /** Octets of the pattern after normalization; the longest match wins. */
  readonly length: number;
  /** Pieces between stars; the path must start with the first. */
  readonly pieces: readonly string[];
  /** The path must end with the last piece. */
  readonly toEnd: boolean;
  /** Minimum number of octets of a matching path. */
  readonly literals: number;
  /** The pattern contains a `?`: what follows it is compared with the query. */
  readonly hasQuery: boolean;
}

const NEEDS_WORK = /[%*$"<>[\\\]^`{|}]|[^\x21-\x7e]/;
const ESCAPE_OR_OTHER = /%(?:[0-9A-Fa-f]{2})?|["<>[\\\]^`{|}]|[^\x21-\x7e]/g;

function normalizeOctet(escape: string): string {
  if (escape.length === 1) return `%${escape.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return UNRESERVED.test(char) ? char : escape.toUpperCase();
}

/** The normal form of a byte string, in which patterns and paths are compared. */
const normalizeOctets = (bytes: string) =>
  NEEDS_WORK.test(bytes) ? bytes.replace(ESCAPE_OR_OTHER, normalizeOctet) : bytes;

const OPEN_IN_QUERY = /%(?:3A|2F|3F|40)/g;

/** Decodes the escapes after the first `?` that are equivalent to their characters there. */
function openQuery(text: string): string {
  const question = text.indexOf('?');
  if (question < 0 || !text.includes('%', question)) return text;
  const query = text.slice(question).replace(OPEN_IN_QUERY, (escape) => decodeURIComponent(escape));
  return text.slice(0, question) + query;
}

/** A path in the forms that patterns are compared with. */
export interface MatchablePath {
  /** Normalized path and query of a URL, at least `/`. */
  readonly text: string;
  /** `text` with the equivalent escapes of its query decoded: for patterns with a `?`. */
  readonly opened: string;
}

/** A `*` or `$` in a path is literal, so it is escaped, as a pattern must write it. */
const literally = (text: string) => text.replaceAll('*', '%2A').replaceAll('$', '%24');

/** Compiles the value of an Allow or Disallow line (one character per byte). */
export function compilePattern(value: string): PathPattern {
  const text = openQuery(normalizeOctets(value));
  const toEnd = text.endsWith('$');
  const pieces = (toEnd ? text.slice(0, -1) : text).split('*').map(literally);
  const first = pieces[0] ?? '';
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  const row = pieces.length > 1 ? [first, ...middle, pieces.at(-1) ?? ''] : [first];
  const literals = row.reduce((sum, piece) => sum + piece.length, 0);
  return { length: text.length, pieces: row, toEnd, literals, hasQuery: text.includes('?') };
}

/** A URL may contain segments that the client resolves before it requests the path, or characters that it reads as slashes. */
const MAY_BE_RESOLVED = /[/\\](?:\.|%2e)|\\/i;

/**
 * The part of a URL (or of a path) that patterns are compared with; computed once for all patterns. Of a URL, that is the path
 * that is requested: `/private` for `http://site.test/open/../private`.
 */
export function matchablePath(urlOrPath: string): MatchablePath {
  const hash = urlOrPath.indexOf('#');
  const withoutFragment = hash < 0 ? urlOrPath : urlOrPath.slice(0, hash);
  const url = MAY_BE_RESOLVED.test(withoutFragment)
    ? (URL.parse(withoutFragment)?.href ?? withoutFragment)
    : withoutFragment;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.exec(url);
  const start = scheme === null ? 0 : pathStart(url, scheme[0].length);
  const path = url.slice(start);
  const bytes = Buffer.from(path.startsWith('/') ? path : `/${path}`).toString('latin1');
  const text = literally(normalizeOctets(bytes));
  return { text, opened: openQuery(text) };
}

function pathStart(text: string, from: number): number {
  const length = text.slice(from).search(/[/?;]/);
  return length < 0 ? text.length : from + length;
}

/** Whether the pattern matches a path from `matchablePath`; linear in the length of both. */
export function fits({ pieces, toEnd, literals, hasQuery }: PathPattern, matchable: MatchablePath): boolean {
  const path = hasQuery ? matchable.opened : matchable.text;
  const first = pieces[0] ?? '';
  if (literals > path.length || !path.startsWith(first)) return false;
  if (pieces.length === 1) return !toEnd || path.length === first.length;
  let at = first.length;
  for (let i = 1; i < pieces.length - 1; i++) {
    const piece = pieces[i] ?? '';
    const start = find(path, piece, at);
    if (start < 0) return false;
    at = start + piece.length;
  }
  const last = pieces.at(-1) ?? '';
  return toEnd ? path.length - last.length >= at && path.endsWith(last) : find(path, last, at) >= 0;
}

/** Pieces up to this length are searched by `indexOf`: that is fast, and quadratic only up to this factor. */
const SHORT_PIECE = 32;

function find(path: string, piece: string, from: number): number {
  return piece.length <= SHORT_PIECE ? path.indexOf(piece, from) : findLong(path, piece, from);
}

/** The search of Knuth, Morris and Pratt: it never moves back in the path, whatever the piece. */
function findLong(path: string, piece: string, from: number): number {
  const border = borders(piece);
  let matched = 0;
  for (let at = from; at < path.length; at++) {
    while (matched > 0 && path[at] !== piece[matched]) matched = border[matched - 1] ?? 0;
    if (path[at] === piece[matched]) matched++;
    if (matched === piece.length) return at - matched + 1;
  }
  return -1;
}

/** For each prefix of the piece, the length of its longest proper prefix that is also its suffix. */
function borders(piece: string): Int32Array {
  const border = new Int32Array(piece.length);
  for (let i = 1, length = 0; i < piece.length; i++) {
    while (length > 0 && piece[i] !== piece[length]) length = border[length - 1] ?? 0;
    if (piece[i] === piece[length]) length++;
    border[i] = length;
  }
  return border;
}
