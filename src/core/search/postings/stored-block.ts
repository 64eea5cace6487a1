/** Stored fields of many documents in one block: JSON with one line per document, so that one can be read without the others. */
import type { StoredFields } from './segment-builder.js';

type StoredRow = readonly [id: string, url: string, title: string, fetchedAt: number | null];

const fieldsOfRow = ([id, url, title, fetchedAt]: StoredRow): StoredFields => ({ id, url, title, fetchedAt });

export const storedBlock = (fields: readonly StoredFields[]): string =>
  `[${fields.map(({ id, url, title, fetchedAt }) => JSON.stringify([id, url, title, fetchedAt])).join(',\n')}]`;

export const storedFields = (block: string): StoredFields[] => (JSON.parse(block) as StoredRow[]).map(fieldsOfRow);

const [LINE_FEED] = Buffer.from('\n');

/** One document of a block as UTF-8, by its index: only its line is decoded. */
export function storedFieldsAt(block: Buffer, at: number): StoredFields {
  let start = 1;
  for (let line = 0; line < at; line++) start = block.indexOf(LINE_FEED!, start) + 1;
  const end = block.indexOf(LINE_FEED!, start);
  // A comma follows each line, a bracket the last one.
  return fieldsOfRow(JSON.parse(block.toString('utf8', start, end < 0 ? block.length - 1 : end - 1)) as StoredRow);
}
