/** index-more: times, length, type, and the file name of a download without a title as its title (Nutch `MoreIndexingFilter`). */
import { parseHttpDate } from '../http/http-date.js';
import { linesOf } from '../lines.js';
import { type Rule, RuleError } from '../url/linear-regex.js';
import type { IndexDocument } from './index-document.js';
import type { IndexPage } from './index-page.js';
import { type IndexingFilter, addField } from './indexing-filter.js';

export interface MoreOptions {
  /** Also add type and subtype as separate values. */
  readonly parts: boolean;
  /** Names for types; null: none. */
  readonly names: ReadonlyMap<string, string> | null;
  /** The field for these names; empty: they replace the type. */
  readonly nameField: string;
}

/** Characters of Content-Disposition that are searched for a name. */
const MAX_DISPOSITION_LENGTH = 4_096;
/** In Content-Disposition (RFC 6266), with or without quotes. */
const FILE_NAME = /\bfilename=(?:"([^"]+)"|'([^']+)'|([^\s;"']+))/i;

export function indexMore(options: MoreOptions): IndexingFilter {
  return (document, page) => {
    addTimes(document, page);
    const declared = page.headers['content-length']?.trim() ?? '';
    const length = /^\d{1,15}$/.test(declared) ? Number(declared) : page.contentLength;
    if (length !== null) addField(document, 'contentLength', length);
    addType(document, page.type, options);
    const name = FILE_NAME.exec(page.headers['content-disposition']?.slice(0, MAX_DISPOSITION_LENGTH) ?? '');
    if (name && !document.fields.has('title')) addField(document, 'title', name[1] ?? name[2] ?? name[3]!);
    return document;
  };
}

/** `date` is the time of the last modification if the server sends it, else that of the fetch. */
function addTimes(document: IndexDocument, { headers, lastModified, fetchTime }: IndexPage): void {
  const changed = parseHttpDate(headers['last-modified'] ?? '') ?? lastModified;
  if (changed !== null) addField(document, 'lastModified', new Date(changed));
  addField(document, 'date', new Date(changed ?? fetchTime));
}

function addType(document: IndexDocument, type: string, { parts, names, nameField }: MoreOptions): void {
  if (type === '') return;
  const name = names?.get(type);
  if (name !== undefined && nameField !== '') addField(document, nameField, name);
  const shown = nameField === '' ? (name ?? type) : type;
  addField(document, 'type', shown);
  if (parts && shown.includes('/')) for (const part of shown.split('/')) addField(document, 'type', part);
}

/**
 * Parses names for types: lines of a name and its types, separated by tabs (Nutch contenttype-mapping.txt).
 * @throws RuleError for a line without a type
 */
export function readTypeNames(rules: string): Map<string, string> {
  const names = new Map<string, string>();
  linesOf(rules).forEach((line, at) => {
    if (line.trim() === '' || line.startsWith('#')) return;
    const rule: Rule = { number: at + 1, text: line };
    const [name, ...types] = line.split('\t').map((part) => part.trim());
    if (!name || types.length === 0) throw new RuleError(rule, 1, 'a name, a tab and a type are expected');
    for (const type of types) names.set(type.toLowerCase(), name);
  });
  return names;
}
