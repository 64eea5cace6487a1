/** Maps the fields of a document for one writer (Nutch `MappingReader`): copy, rename, remove. */
import type { IndexDocument } from './index-document.js';

export interface FieldMapping {
  /** The values of a field are also added to other fields. */
  readonly copy: readonly (readonly [source: string, destinations: readonly string[]])[];
  readonly rename: readonly (readonly [source: string, destination: string])[];
  readonly remove: readonly string[];
}

export const NO_MAPPING: FieldMapping = { copy: [], rename: [], remove: [] };

/** A field, or one of the two that writers add to the others. */
const valuesOf = ({ id, boost }: IndexDocument, fields: IndexDocument['fields'], name: string) =>
  fields.get(name) ?? (name === 'id' ? [id] : name === 'boost' ? [boost] : undefined);

/**
 * The document for a writer: a copy if there is a mapping, so that other writers get the original. Its boost may be renamed or
 * removed: then it is an empty field. Its id is always sent.
 */
export function mapped(document: IndexDocument, { copy, rename, remove }: FieldMapping): IndexDocument {
  if (copy.length + rename.length + remove.length === 0) return document;
  const fields = new Map(document.fields);
  const fieldBoosts = new Map(document.fieldBoosts);
  for (const [source, destinations] of copy) {
    const values = valuesOf(document, document.fields, source);
    if (!values) continue;
    // A field that is named among its destinations stays as it is (Nutch).
    const others = destinations.filter((name) => name !== source);
    for (const name of others) fields.set(name, [...(fields.get(name) ?? []), ...values]);
  }
  // Renamed all at once, so that two fields can swap names.
  const named = rename.flatMap(([source, destination]) => {
    const values = valuesOf(document, fields, source);
    return values ? [{ source, destination, values, boost: fieldBoosts.get(source) }] : [];
  });
  for (const { source } of named) for (const map of [fields, fieldBoosts]) map.delete(source);
  for (const { destination, values, boost } of named) {
    fields.set(destination, [...(fields.get(destination) ?? []), ...values]);
    if (boost !== undefined) fieldBoosts.set(destination, boost);
  }
  for (const name of remove) for (const map of [fields, fieldBoosts]) map.delete(name);
  const hasNoBoost = remove.includes('boost') || rename.some(([source]) => source === 'boost');
  if (hasNoBoost && !fields.has('boost')) fields.set('boost', []);
  return { ...document, fields, fieldBoosts };
}
