/** The fields that indexing filters add to documents, with their types, from which schemas of engines are built. */
import type { FieldMapping } from './field-mapping.js';

/** `keyword`: searched as a whole; `text`: searched by words; `stored`: not searchable. */
export type FieldType = 'keyword' | 'text' | 'integer' | 'float' | 'date' | 'stored';

export interface DocumentField {
  readonly name: string;
  readonly type: FieldType;
  /** A document may have several values. */
  readonly many: boolean;
}

const single = (type: FieldType, ...names: string[]): DocumentField[] =>
  names.map((name) => ({ name, type, many: false }));
export const many = (type: FieldType, names: readonly string[]): DocumentField[] =>
  names.map((name) => ({ name, type, many: true }));

/** The fields of every document; the binary content only where an INDEX has `addBinaryContent`. */
export const COMMON_FIELDS: readonly DocumentField[] = [
  ...single('keyword', 'id', 'digest', 'batchId', 'segment'),
  ...single('float', 'boost'),
  ...single('stored', 'binaryContent'),
];

/** Fields that filters add independently of their properties, by plugin id. */
export const FILTER_FIELDS: Readonly<Record<string, readonly DocumentField[]>> = {
  'index-basic': [
    ...single('keyword', 'domain', 'host', 'url'),
    ...single('text', 'content', 'title'),
    ...single('keyword', 'cache'),
    ...single('date', 'tstamp'),
  ],
  'index-anchor': many('text', ['anchor']),
  'index-more': [
    ...single('date', 'lastModified', 'date'),
    ...single('integer', 'contentLength'),
    ...many('keyword', ['type']),
    ...single('text', 'title'),
  ],
  'index-links': many('keyword', ['inlinks', 'outlinks']),
  'language-identifier': single('keyword', 'lang'),
  headings: many('text', ['headings']),
};

/** Merges fields of one name: they allow several values, and get the type `text` where the types differ. */
export function mergedFields(fields: readonly DocumentField[]): DocumentField[] {
  const byName = new Map<string, DocumentField>();
  for (const field of fields) {
    const known = byName.get(field.name);
    const type = known && known.type !== field.type ? 'text' : field.type;
    byName.set(field.name, { name: field.name, type, many: field.many || known !== undefined });
  }
  return [...byName.values()];
}

/** The fields under the names of a writer's mapping, as `mapped` applies it to documents. */
export function mappedFields(
  fields: readonly DocumentField[],
  { copy, rename, remove }: FieldMapping,
): DocumentField[] {
  const fieldsNamed = (name: string): readonly DocumentField[] => fields.filter((field) => field.name === name);
  const copied = copy.flatMap(([source, names]) =>
    fieldsNamed(source).flatMap((field) => names.flatMap((name) => (name === source ? [] : { ...field, name }))),
  );
  const withCopies = mergedFields([...fields, ...copied]);
  const names = new Map(rename);
  const renamed = withCopies.map((field) => ({ ...field, name: names.get(field.name) ?? field.name }));
  return mergedFields(renamed).filter(({ name }) => !remove.includes(name));
}
