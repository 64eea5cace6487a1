import { expect, it } from 'vitest';
import {
  type ColumnValues,
  ColumnsBuilder,
  type SegmentColumns,
  columnsSize,
  decodeColumns,
  encodeColumns,
  valuesOf,
} from '../../../../src/core/search/postings/segment-columns.js';
import { searchFields } from '../../../../src/core/search/search-fields.js';

const usual: ColumnValues = {
  lengths: searchFields.map(() => 7),
  boost: 1,
  fieldBoosts: searchFields.map(() => 1),
  language: 'en',
  type: 'text/html',
  host: 'site.test',
  day: 20_000,
  simhash: [1, 2],
};

function decoded(count: number, values: (n: number) => Partial<ColumnValues>): SegmentColumns {
  const builder = new ColumnsBuilder();
  for (let n = 0; n < count; n++) builder.add({ ...usual, ...values(n) });
  return decodeColumns(encodeColumns(builder.build()));
}

/** Bytes of all arrays, and of the texts, which have a character a byte. */
function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, part) => sum + bytesOf(part), 0)
    : 0;
}

it.each<[string, (n: number) => Partial<ColumnValues>]>([
  ['one host', () => ({})],
  ['a host for each document', (n) => ({ host: `a-host-with-a-long-name-${n}.site.test` })],
  ['boosts of fields', () => ({ fieldBoosts: searchFields.map(() => 2) })],
])('the columns of documents with %s are counted whole', (_, values) => {
  const columns = decoded(1_000, values);
  const texts = columns.hosts.values.length + columns.languages.values.length + columns.types.values.length;
  expect(columnsSize(columns)).toBe(bytesOf(columns) + 32 * texts);
});

it.each([
  [256, 1],
  [257, 2],
  [65_536, 2],
  [65_537, 4],
])('the numbers of %i hosts have %i bytes in memory, and are read as they were written', (hosts, bytes) => {
  const columns = decoded(hosts + 1, (n) => ({ host: `host-${n % hosts}.test` }));
  expect(columns.hosts.byDoc.BYTES_PER_ELEMENT).toBe(bytes);
  const again = decodeColumns(encodeColumns(columns));
  for (const n of [0, hosts - 1, hosts])
    expect(valuesOf(again, n)).toEqual({ ...usual, host: `host-${n % hosts}.test` });
});
