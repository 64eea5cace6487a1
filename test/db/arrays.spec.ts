import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byteaArray, joinedTexts } from '../../src/db/arrays.js';
import { row, rows, sql } from '../../src/db/sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ empty: true });
});
afterAll(() => db.drop());

describe('byteaArray', () => {
  it.each<[string, (Buffer | null)[]]>([
    ['an empty array', []],
    ['one value', [Buffer.from('a page')]],
    ['values of different lengths, one empty', [Buffer.from('a'), Buffer.alloc(0), Buffer.from('longer')]],
    ['nulls', [null, Buffer.from('between'), null]],
    ['any byte', [Buffer.from(Array.from({ length: 256 }, (_, i) => i))]],
    ['more than the buffer of a connection', [Buffer.alloc(3_000_000, 'x'), Buffer.alloc(1_000_000, 'y')]],
  ])('passes %s unchanged', async (_, values) => {
    const found = await rows<{ value: Buffer | null }>(
      db.pool,
      sql`select value from unnest(${byteaArray(values)}::bytea[]) with ordinality as t (value, n) order by n`,
    );
    const hex = (value: Buffer | null) => value?.toString('hex');
    expect(found.map(({ value }) => hex(value))).toEqual(values.map(hex));
  });
});

describe('an array of texts as a parameter', () => {
  const texts = ['', 'org.example:http/', 'null', ' a', 'b ', 'a,b', '{', '"', '\\', 'größe', '网页', '🕸', null];

  it('passes texts unchanged', async () => {
    const found = await rows<{ text: string | null }>(db.pool)`
      select text from unnest(${texts}::text[]) with ordinality as t (text, n) order by n`;
    expect(found.map(({ text }) => text)).toEqual(texts);
  });

  it('passes JSON unchanged', async () => {
    const found = await rows<{ json: unknown }>(db.pool)`
      select json from unnest(${texts.map((text) => JSON.stringify({ text }))}::jsonb[]) with ordinality as t (json, n) order by n`;
    expect(found.map(({ json }) => json)).toEqual(texts.map((text) => ({ text })));
  });

  it('passes an empty array and nulls, and replaces lone surrogates', async () => {
    const given = { none: [], nulls: [null, undefined], halves: ['a\ud83d'] };
    expect(
      await row(db.pool)`
        select ${given.none}::text[] as none, ${given.nulls}::text[] as nulls, ${given.halves}::text[] as halves`,
    ).toEqual({ none: [], nulls: [null, null], halves: ['a\ufffd'] });
  });

  it('converts other values to text', async () => {
    expect(await row(db.pool)`select ${[1, 2]}::text[] as texts`).toEqual({ texts: ['1', '2'] });
  });
});

describe('joined lists of texts', () => {
  it.each<[string, (string[] | null)[]]>([
    ['no lists', []],
    ['an empty list and null', [[], null]],
    ['several texts, some empty', [['', 'org.example:http/', ''], ['a']]],
    ['delimiters of elements and arrays', [['a,b', '{', '}', '"', '\\', 'null']]],
    ['texts in several scripts', [['größe', '网页', '🕸']]],
    [
      'the separator',
      [
        ['a\x1fb', '\x1f'],
        ['\x1f\x1f', 'c'],
      ],
    ],
    ['the separator inside of a text', [['a\x1fb', 'c']]],
    ['parts of separators', [['\x1f', '\x1e1\x1f', 'a\x1e2\x1f', '\x1e', '3\x1f', '\x1e3']]],
  ])('are restored for %s', async (_, lists) => {
    const { separator, texts } = joinedTexts(lists);
    const found = await rows<{ texts: string[] | null }>(db.pool)`
      select string_to_array(given, ${separator}::text) as texts
        from unnest(${texts}::text[]) with ordinality as t (given, n) order by n`;
    expect(found.map((one) => one.texts)).toEqual(lists);
  });

  it('have a random separator, which pages cannot foresee', () => {
    const lists = [['\x1f']];
    expect(joinedTexts(lists).separator).not.toBe(joinedTexts(lists).separator);
  });

  it('do not distinguish one empty text from no text', () => {
    expect(joinedTexts([[''], []]).texts).toEqual(['', '']);
  });
});
