import { describe, expect, it } from 'vitest';
import { fragment, literal, literals, sql } from '../../src/db/sql.js';

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
});
