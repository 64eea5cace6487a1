/** Stored fields of many documents in one block: JSON with one line per document, so that one can be read without the others. */
import type { StoredFields } from './segment-builder.js';

type StoredRow = readonly [id: string, url: string, title: string, fetchedAt: number | null];

const fieldsOf = ([id, url, title, fetchedAt]: StoredRow): StoredFields => ({ id, url, title, fetchedAt });

export const storedBlock = (fields: readonly StoredFields[]): string =>
  `[${fields.map(({ id, url, title, fetchedAt }) => JSON.stringify([id, url, title, fetchedAt])).join(',\n')}]`;

export const storedFields = (block: string): StoredFields[] => (JSON.parse(block) as StoredRow[]).map(fieldsOf);

/** One document of a block, by its index. */
export function storedFieldsAt(block: string, at: number): StoredFields {
  // One document; or a block of an earlier version, which has no lines.
  if (!block.includes('\n')) return storedFields(block)[at]!;
  let start = 1;
  for (let line = 0; line < at; line++) start = block.indexOf('\n', start) + 1;
  const end = block.indexOf('\n', start);
  // A comma follows each line, a bracket the last one.
  return fieldsOf(JSON.parse(block.slice(start, end < 0 ? -1 : end - 1)) as StoredRow);
}
