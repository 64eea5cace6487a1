/** index-metadata: metadata of seeds, parsers and servers as fields (Nutch `MetadataIndexer` of 1.x and 2.x). */
import type { IndexDocument } from './index-document.js';
import { type IndexingFilter, addField } from './indexing-filter.js';

export interface MetadataOptions {
  /** Names of metadata of seeds and links (`index.db.md`), and of parsers (`index.parse.md`). */
  readonly db: readonly string[];
  readonly parse: readonly string[];
  /** Names of headers of the answer, or metadata (`index.content.md`). */
  readonly content: readonly string[];
  /** Names of meta elements (`index.metadata`, 2.x): the field is `meta_<name>`. */
  readonly meta: readonly string[];
  /** Separates the values of one name, like tabs; empty: only tabs do. */
  readonly separator: string;
}

export function indexMetadata({ db, parse, content, meta, separator }: MetadataOptions): IndexingFilter {
  return (document, { metadata, headers }) => {
    for (const name of new Set([...db, ...parse])) addValues(document, name, metadata[name], separator);
    for (const name of content) addValues(document, name, headers[name.toLowerCase()] ?? metadata[name], separator);
    for (const name of meta) addValues(document, `meta_${name}`, metadata[`metatag.${name.toLowerCase()}`], separator);
    return document;
  };
}

function addValues(document: IndexDocument, name: string, value: string | undefined, separator: string): void {
  if (value === undefined) return;
  const values = separator === '' ? [value] : value.split(separator);
  for (const item of values.flatMap((part) => part.split('\t'))) addField(document, name, item.trim());
}
