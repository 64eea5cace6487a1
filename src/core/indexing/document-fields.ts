/** The fields that documents have by the indexing filters, with their types: what schemas of engines are made of. */
import type { FieldMapping } from './field-mapping.js';

/** `keyword`: found as a whole; `text`: by its words; `stored`: shown, never looked for. */
export type FieldType = 'keyword' | 'text' | 'integer' | 'float' | 'date' | 'stored';

export interface DocumentField {
  readonly name: string;
  readonly type: FieldType;
  /** A document may have several values. */
  readonly many: boolean;
}

const one = (type: FieldType, ...names: string[]): DocumentField[] =>
  names.map((name) => ({ name, type, many: false }));
export const many = (type: FieldType, names: readonly string[]): DocumentField[] =>
  names.map((name) => ({ name, type, many: true }));

/** Those of every document; the content itself only where an INDEX has `addBinaryContent`. */
export const COMMON_FIELDS: readonly DocumentField[] = [
  ...one('keyword', 'id', 'digest', 'batchId', 'segment'),
  ...one('float', 'boost'),
  ...one('stored', 'binaryContent'),
];

/** Those that filters add whatever their properties say, by the ids of their plugins. */
export const FILTER_FIELDS: Readonly<Record<string, readonly DocumentField[]>> = {
  'index-basic': [
    ...one('keyword', 'domain', 'host', 'url'),
    ...one('text', 'content', 'title'),
    ...one('keyword', 'cache'),
    ...one('date', 'tstamp'),
  ],
  'index-anchor': many('text', ['anchor']),
  'index-more': [
    ...one('date', 'lastModified', 'date'),
    ...one('integer', 'contentLength'),
    ...many('keyword', ['type']),
    ...one('text', 'title'),
  ],
  'index-links': many('keyword', ['inlinks', 'outlinks']),
  'language-identifier': one('keyword', 'lang'),
  headings: many('text', ['headings']),
};

/** Each name once: where filters differ about one it has several values, and the type `text`. */
export function mergedFields(fields: readonly DocumentField[]): DocumentField[] {
  const byName = new Map<string, DocumentField>();
  for (const field of fields) {
    const known = byName.get(field.name);
    const type = known && known.type !== field.type ? 'text' : field.type;
    byName.set(field.name, { name: field.name, type, many: field.many || known !== undefined });
  }
  return [...byName.values()];
}

/** The fields under the names that a writer gives them, as `mapped` gives them to its documents. */
export function mappedFields(
  fields: readonly DocumentField[],
  { copy, rename, remove }: FieldMapping,
): DocumentField[] {
  const of = (name: string): readonly DocumentField[] => fields.filter((field) => field.name === name);
  const copied = copy.flatMap(([source, names]) =>
    of(source).flatMap((field) => names.map((name) => ({ ...field, name }))),
  );
  const all = mergedFields([...fields, ...copied]);
  const names = new Map(rename);
  const renamed = all.map((field) => ({ ...field, name: names.get(field.name) ?? field.name }));
  return mergedFields(renamed).filter(({ name }) => !remove.includes(name));
}
