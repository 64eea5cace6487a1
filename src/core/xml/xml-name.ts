/**
 * Names of elements and attributes.
 *
 * They can be compared in two ways. Where namespaces distinguish vocabularies, as in feeds, the qualified name counts and
 * its namespace is looked up. Where wrong, missing and invented namespaces are common, as in sitemaps, the local name
 * alone counts, in end tags too.
 */

export interface XmlName {
  /** URI of its namespace; empty without one, and for an undeclared prefix. */
  readonly namespace: string;
  /** As written, in lower case; empty without one. */
  readonly prefix: string;
  /** In lower case. */
  readonly local: string;
}

/** The parent of the root element. */
export const NO_NAME: XmlName = { namespace: '', prefix: '', local: '' };

/** Attributes by key; the first of a key wins. */
export type XmlAttributes = ReadonlyMap<string, string>;

/** A name as written in a tag, in lower case. */
export interface WrittenName {
  /** The compared name: an end tag closes a start tag of the same key. */
  readonly key: string;
  readonly prefix: string;
  readonly local: string;
}

/** The key is the qualified name (`rdf:about`); the prefix ends at the first colon. */
export function qualifiedName(written: string): WrittenName {
  const key = written.toLowerCase();
  const colon = key.indexOf(':');
  return { key, prefix: key.slice(0, Math.max(0, colon)), local: key.slice(colon + 1) };
}

/** The key is the local name (`about`); the prefix ends at the last colon. */
export function localName(written: string): WrittenName {
  const colon = written.lastIndexOf(':');
  const local = written.slice(colon + 1).toLowerCase();
  return { key: local, prefix: written.slice(0, Math.max(0, colon)).toLowerCase(), local };
}

/** The namespaces in scope at an element, by prefix; the empty prefix is the default namespace. */
export type XmlScope = ReadonlyMap<string, string>;

export const NO_NAMESPACES: XmlScope = new Map();

/** Limits of the namespaces in scope, and of the length of their URIs. */
const MAX_PREFIXES = 50;
const MAX_URI_LENGTH = 200;

/** The namespaces in scope in an element: those of its parent, and those that its attributes declare. */
export function scopeOf(attributes: XmlAttributes, around: XmlScope): XmlScope {
  let scope: Map<string, string> | null = null;
  for (const [name, uri] of attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    scope ??= new Map(around);
    const prefix = name.slice(6);
    if (uri.length <= MAX_URI_LENGTH && (scope.size < MAX_PREFIXES || scope.has(prefix))) scope.set(prefix, uri.trim());
  }
  return scope ?? around;
}

const OF_PROLOG = /\s+|<\?[^>]*>|<!--[^]*?-->|(<!doctype[^>[]*)>?/iy;
const ROOT = /<([A-Za-z_][\w.:-]{0,99})/y;

/** The name of the root element as written, in lower case; empty without one. Time is linear. */
export function rootOf(xml: string): string {
  ROOT.lastIndex = prologEnd(xml);
  return ROOT.exec(xml)?.[1]?.toLowerCase() ?? '';
}

/** The position after declaration, comments and DOCTYPE, with all that it declares. Time is linear. */
export function prologEnd(xml: string): number {
  let at = xml.startsWith('\ufeff') ? 1 : 0;
  let subset: number | null = null;
  for (;;) {
    OF_PROLOG.lastIndex = at;
    const found = OF_PROLOG.exec(xml);
    if (found === null) return at;
    const end = OF_PROLOG.lastIndex;
    if (found[1] === undefined || xml.charAt(end) !== '[') at = end;
    // A document has one DOCTYPE.
    else if (subset !== null || (subset = subsetEnd(xml, end + 1)) === null) return at;
    else at = subset;
  }
}

const OF_SUBSET = /["']|<!--|<\?|\]\s*>/g;
const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", '<!--': '-->', '<?': '?>' };
const SUBSET_END = /\]\s*>/g;

/** The end of the DOCTYPE whose declarations begin at `from`; of one that does not end, its first `]>`; null without that. */
function subsetEnd(xml: string, from: number): number | null {
  OF_SUBSET.lastIndex = from;
  for (let found = OF_SUBSET.exec(xml); found !== null; found = OF_SUBSET.exec(xml)) {
    const closing = CLOSING[found[0]];
    if (closing === undefined) return OF_SUBSET.lastIndex;
    const end = xml.indexOf(closing, OF_SUBSET.lastIndex);
    if (end < 0) break;
    OF_SUBSET.lastIndex = end + closing.length;
  }
  SUBSET_END.lastIndex = from;
  return SUBSET_END.test(xml) ? SUBSET_END.lastIndex : null;
}
