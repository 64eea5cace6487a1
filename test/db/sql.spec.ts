import { describe, expect, it } from 'vitest';
import { fragment, identifier, literal, literals, numberLiteral, numberLiterals, sql } from '../../src/db/sql.js';

describe('sql', () => {
  it('numbers the parameters of a statement and its fragments in order', () => {
    expect(sql`select ${1} where ${fragment`a = ${2} and b = ${3}`} limit ${4}`).toEqual({
      text: 'select $1 where a = $2 and b = $3 limit $4',
      values: [1, 2, 3, 4],
    });
  });

  it('inserts names of states as literals', () => {
    expect(
      sql`set state = ${literal('DONE')} where state in ${literals(['WAITING', 'RUNNING'])} and id = ${7}`,
    ).toEqual({
      text: `set state = 'DONE' where state in ('WAITING', 'RUNNING') and id = $1`,
      values: [7],
    });
  });

  it.each(['', `x' or true --`, `DONE'`, 'done', 'A B', 'Ä'])('rejects any other text as a literal: "%s"', (text) => {
    expect(() => literal(text)).toThrow('not a word of capital letters');
    expect(() => literals(['DONE', text])).toThrow('not a word of capital letters');
  });

  it('inserts codes and names of our own source as they are', () => {
    expect(
      sql`select ${identifier('fetch_time')} where status = ${numberLiteral(-2)} or status in ${numberLiterals([1, 67])}`,
    ).toEqual({
      text: 'select fetch_time where status = -2 or status in (1, 67)',
      values: [],
    });
  });

  it.each(['', 'a b', 'a;', '"a"', `a'`, 'a.b', 'A', 'ä', 'a1', 'a\n'])(
    'rejects any other text as a name: %j',
    (name) => {
      expect(() => identifier(name)).toThrow('not a name of a column or of rows');
    },
  );

  it.each([1.5, NaN, Infinity, 2 ** 53, '1; drop table job'])('rejects %j as a code', (code) => {
    expect(() => numberLiteral(code as number)).toThrow('not a whole number');
    expect(() => numberLiterals([1, code as number])).toThrow('not a whole number');
  });
});
