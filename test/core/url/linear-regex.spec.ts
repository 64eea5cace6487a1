import { describe, expect, it } from 'vitest';
import { compileRegexFilter } from '../../../src/core/url/filter-regex.js';
import { checkSubstitution, compileLinear, RuleError } from '../../../src/core/url/linear-regex.js';

const place = (text: string) => ({ rule: { number: 3, text }, offset: 0 });
const refusal = (run: () => unknown): RuleError => {
  try {
    run();
  } catch (error) {
    if (error instanceof RuleError) return error;
  }
  throw new Error('not refused');
};

describe('a regular expression of a user', () => {
  it.each([
    ['(a)\\1', 4, 'back-reference \\1 cannot run in linear time'],
    ['ab(?=c)', 3, '(?= (look-ahead or atomic group) cannot run in linear time'],
    ['ab(?!c)', 3, '(?! (look-ahead or atomic group) cannot run in linear time'],
    ['(?>a)', 1, '(?> (look-ahead or atomic group) cannot run in linear time'],
    ['a++', 2, 'possessive quantifier ++ is not supported'],
    ['[a', 1, 'missing closing ]'],
    ['b[a', 2, 'missing closing ]: [a'],
    ['a(b', null, 'missing closing )'],
    ['a)b', null, 'unexpected )'],
    ['[a-z&&b]', 5, 'intersection of character classes (&&) is not supported'],
    ['a{1001}', 2, 'invalid repeat count: {1001}'],
    ['x'.repeat(1001), 1000, 'longer than 1000 characters'],
    ['x{1000}'.repeat(142), null, 'repeats too much: write smaller counts'],
  ])('%s is refused at %s: %s', (pattern, position, reason) => {
    const error = refusal(() => compileLinear(pattern, place(pattern)));
    expect({ number: error.rule.number, position: error.position, reason: error.reason }).toEqual({
      number: 3,
      position,
      reason,
    });
  });

  it('may contain a look-behind', () => {
    expect(compileLinear('(?<!:)/{2,}', place('')).replaceAll('http://a//b', '/')).toBe('http://a/b');
  });

  it('runs a pattern that is exponential for a backtracking engine', () => {
    const { test } = compileLinear('^(x+x+)+y$', place(''));
    expect(test(`${'x'.repeat(4000)}z`)).toBe(false);
  });

  it('returns correct results when its automaton exceeds its memory', () => {
    const { test } = compileLinear('[^/]*a.{20}[bd]', place(''));
    const noise = Array.from({ length: 3000 }, (_, i) => ((i * i * 31) % 7 < 3 ? 'a' : 'c')).join('');
    expect(test(`/${noise}`)).toBe(false);
    expect(test(`/${noise}a${'c'.repeat(20)}d`)).toBe(true);
  });

  it.each([
    ['$2', 1, 'there is no group 2'],
    ['a$', 2, 'a $ must name a group by number; write \\$ for the character'],
    ['${name}', 1, 'a $ must name a group by number; write \\$ for the character'],
    ['a\\', 2, 'nothing follows the backslash'],
  ])('cannot have the substitution %s', (substitution, position, reason) => {
    const error = refusal(() => checkSubstitution(substitution, 1, place('(a)')));
    expect([error.position, error.reason]).toEqual([position, reason]);
  });

  it('is refused beyond the limits of its rule set', () => {
    const many = Array.from({ length: 1001 }, (_, i) => `+a${i}`).join('\n');
    expect(() => compileRegexFilter(many)).toThrow('rule 1001: more than 1000 rules');
    const large = Array.from({ length: 60 }, () => '+(?:a{990}){10}').join('\n');
    expect(() => compileRegexFilter(large)).toThrow(RuleError);
  });
});
