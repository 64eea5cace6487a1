/** The interfaces of indexing filters (Nutch `IndexingFilter`, `ScoringFilter.indexerScore`). */
import { declaredLanguage } from '../language/declared-language.js';
import { wellFormedStart } from './field-text.js';
import type { FieldValue, IndexDocument } from './index-document.js';
import type { IndexPage } from './index-page.js';

/** Changes a document in place, returns another one, or drops it (null). */
export type IndexingFilter = (document: IndexDocument, page: IndexPage) => IndexDocument | null;

/** The boost of a document; `boost` is the result of the previous filter, initially 1. It may set boosts of fields. */
export type IndexBoost = (document: IndexDocument, page: IndexPage, boost: number) => number;

/** Maximum length of a value from any source: an engine would reject a longer one, or run out of memory. */
const MAX_VALUE_LENGTH = 16_777_216;

/** The document for the first filter, with the fields that Nutch's indexer itself adds. */
export function newDocument(page: IndexPage): IndexDocument {
  const { metadata, headers } = page;
  const language = declaredLanguage({ metadata }, headers['content-language'] ?? null);
  const document: IndexDocument = {
    id: page.key,
    url: page.representative,
    boost: 1,
    ...(language !== null && { language }),
    fields: new Map(),
    fieldBoosts: new Map(),
  };
  addField(document, 'digest', page.signature);
  addField(document, 'batchId', page.batchId);
  addField(document, 'segment', page.segment);
  return document;
}

/** Appends a value to a field; an empty text is not added. */
export function addField({ fields }: IndexDocument, name: string, value: FieldValue): void {
  const kept = typeof value === 'string' ? wellFormedStart(value, MAX_VALUE_LENGTH) : value;
  if (kept === '') return;
  const values = fields.get(name);
  if (values) values.push(kept);
  else fields.set(name, [kept]);
}

/** Replaces the values of a field. */
export function setField(document: IndexDocument, name: string, values: readonly FieldValue[]): void {
  document.fields.delete(name);
  for (const value of values) addField(document, name, value);
}
