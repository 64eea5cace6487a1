import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Columns, rowList } from '../../src/db/row-list.js';
import { fragment, rows, sql } from '../../src/db/sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => void (database = await testDatabase({ empty: true })));
afterAll(async () => void (await database?.drop()));

interface Page {
  host: string;
  size?: number;
  seen?: Date | null;
  meta?: unknown;
  body?: Uint8Array;
}

const COLUMNS: Columns<Page> = {
  place: ['int', (_, index) => index],
  host: ['text', ({ host }) => host],
  id: ['uuid', (_, index) => `00000000-0000-0000-0000-00000000000${index}`],
  size: ['bigint', ({ size }) => size],
  share: ['float8', ({ size }) => size && size / 3],
  large: ['bool', ({ size }) => (size === undefined ? null : size > 1)],
  seen: ['timestamptz', ({ seen }) => seen],
  meta: ['jsonb', ({ meta }) => meta],
  body: ['bytea', ({ body }) => body],
};

describe('rowList', () => {
  it('makes a row of each element, with its columns by name', async () => {
    const seen = new Date('2026-02-28T23:59:59.999Z');
    const pages = [
      { host: 'a"{,}\\ \u{1F577}', size: 2, seen, meta: { a: ['\u2028', null] }, body: Uint8Array.of(0, 255) },
      { host: '' },
    ];
    const read = await rows(database.pool)`select * from ${rowList('page', pages, COLUMNS)} order by place`;
    expect(read).toEqual([
      {
        place: 0,
        host: 'a"{,}\\ \u{1F577}',
        id: '00000000-0000-0000-0000-000000000000',
        size: '2',
        share: 2 / 3,
        large: true,
        seen,
        meta: { a: ['\u2028', null] },
        body: Buffer.of(0, 255),
      },
      {
        place: 1,
        host: '',
        id: '00000000-0000-0000-0000-000000000001',
        size: null,
        share: null,
        large: null,
        seen: null,
        meta: null,
        body: null,
      },
    ]);
  });

  it('makes no row of an empty list', async () => {
    expect(await rows(database.pool)`select * from ${rowList('page', [], COLUMNS)}`).toEqual([]);
  });

  it('has one text for any number of elements, so that the statement can be a prepared one', () => {
    const textOf = (pages: Page[]) => sql`select * from ${rowList('page', pages, COLUMNS)}`.text;
    expect(textOf([{ host: 'a' }, { host: 'b' }])).toBe(textOf([]));
  });

  it('takes an array that was made before as a column', async () => {
    const made = { n: fragment`${[7, 8]}::int[]`, host: ['text', ({ host }: Page) => host] } as const;
    expect(await rows(database.pool)`select * from ${rowList('page', [{ host: 'a' }, { host: 'b' }], made)}`).toEqual([
      { n: 7, host: 'a' },
      { n: 8, host: 'b' },
    ]);
  });

  it.each(['Host', 'host; drop table host', ''])('rejects any other text as a name: "%s"', (name) => {
    const value = ['text', () => ''] as const;
    expect(() => rowList('page', [], { [name]: value })).toThrow(
      `not a name of a column or of rows: ${JSON.stringify(name)}`,
    );
    expect(() => rowList(name, [], { host: value })).toThrow(
      `not a name of a column or of rows: ${JSON.stringify(name)}`,
    );
  });
});
