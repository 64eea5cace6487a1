import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrayLiteral, byteaArray } from '../../src/db/arrays.js';
import { row, rows, sql } from '../../src/db/sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ empty: true });
});
afterAll(() => db.drop());

describe('byteaArray', () => {
  it.each<[string, (Buffer | null)[]]>([
    ['nothing', []],
    ['one value', [Buffer.from('a page')]],
    ['values of different lengths, one empty', [Buffer.from('a'), Buffer.alloc(0), Buffer.from('longer')]],
    ['nulls', [null, Buffer.from('between'), null]],
    ['any byte', [Buffer.from(Array.from({ length: 256 }, (_, i) => i))]],
    ['more than a window of the wire', [Buffer.alloc(3_000_000, 'x'), Buffer.alloc(1_000_000, 'y')]],
  ])('brings %s as it is', async (_, values) => {
    const found = await rows<{ value: Buffer | null }>(
      db.pool,
      sql`select value from unnest(${byteaArray(values)}::bytea[]) with ordinality as t (value, n) order by n`,
    );
    const hex = (value: Buffer | null) => value?.toString('hex');
    expect(found.map(({ value }) => hex(value))).toEqual(values.map(hex));
  });
});

describe('arrayLiteral', () => {
  it.each<[string, string[]]>([
    ['no text', []],
    ['an empty text', ['']],
    ['several, some empty', ['', 'org.example:http/', '']],
    ['what reads as null', ['null', 'NULL', 'nullable']],
    ['blanks at both ends and within', [' a', 'b ', 'c d', '\te\n', '\u00a0']],
    ['what ends elements and arrays', ['a,b', '{', '}', '{a,b}', ',']],
    ['quotes and backslashes', ['"', '\\', 'a "b" c', '\\"', "'"]],
    ['letters of all lands', ['größe', '网页', '🕸']],
  ])('says %s', async (_, texts) => {
    const found = await row<{ texts: string[] }>(
      db.pool,
      sql`select given::text[] as texts from unnest(${[arrayLiteral(texts)]}::text[]) as t (given)`,
    );
    expect(found!.texts).toEqual(texts);
  });
});
