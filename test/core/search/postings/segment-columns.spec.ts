import { expect, it } from 'vitest';
import {
  type ColumnValues,
  ColumnsBuilder,
  columnsSize,
  decodeColumns,
  encodeColumns,
} from '../../../../src/core/search/postings/segment-columns.js';
import { searchFields } from '../../../../src/core/search/token.js';

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

it.each<[string, (n: number) => Partial<ColumnValues>]>([
  ['one host', () => ({})],
  ['a host for each document', (n) => ({ host: `a-host-with-a-long-name-${n}.site.test` })],
  ['boosts of fields', () => ({ fieldBoosts: searchFields.map(() => 2) })],
])('the columns of documents with %s are counted whole', (_, valuesOf) => {
  const builder = new ColumnsBuilder();
  for (let n = 0; n < 1_000; n++) builder.add({ ...usual, ...valuesOf(n) });
  const bytes = encodeColumns(builder.build());
  expect(columnsSize(decodeColumns(bytes))).toBeGreaterThan(0.95 * bytes.length);
});
