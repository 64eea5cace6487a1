/** Indexing as a chain of parts (Nutch `IndexingFilter`, `ScoringFilter.indexerScore`). */
import { declaredLanguage } from '../language/declared-language.js';
import { wellFormedStart } from './field-text.js';
import type { FieldValue, IndexDocument } from './index-document.js';
import type { IndexPage } from './index-page.js';

/** Adds to a document, in place or as another one, or drops it (null). */
export type IndexingFilter = (document: IndexDocument, page: IndexPage) => IndexDocument | null;

/** The boost of a document; `boost` is the result of the filters before, at first 1. It may set boosts of single fields. */
export type IndexBoost = (document: IndexDocument, page: IndexPage, boost: number) => number;

/** Most characters of a value, whoever gives it: an engine would refuse the document, or lose its memory. */
const MAX_VALUE_LENGTH = 16_777_216;

/** The document that the first filter gets: what Nutch's indexer itself puts into it. */
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

/** Adds a value behind those that the field has; an empty text is none. */
export function addField({ fields }: IndexDocument, name: string, value: FieldValue): void {
  const kept = typeof value === 'string' ? wellFormedStart(value, MAX_VALUE_LENGTH) : value;
  if (kept === '') return;
  const values = fields.get(name);
  if (values) values.push(kept);
  else fields.set(name, [kept]);
}

/** The values of a field become these. */
export function setField(document: IndexDocument, name: string, values: readonly FieldValue[]): void {
  document.fields.delete(name);
  for (const value of values) addField(document, name, value);
}
