import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExpressionError } from '../../../src/core/frontier/expression-tokens.js';
import { type PageVariables, compileExpression } from '../../../src/core/frontier/expression.js';

/** `generate -expr` and `readdb -dump -expr` of Nutch 1.x (feature rows C9, C42), in a language of our own. */

const page: PageVariables = {
  url: 'https://www.example.com/news/a.html',
  host: 'www.example.com',
  domain: 'example.com',
  status: 'db_fetched',
  statusCode: 2,
  score: 8.5,
  fetchTime: Date.parse('2026-02-01T00:00:00Z'),
  modifiedTime: 0,
  fetchInterval: 2_592_000,
  retries: 1,
  distance: 3,
  signature: 'abcd',
};

describe('a page expression', () => {
  it.each<[string, boolean]>([
    ['score>8', true],
    ['score > 8.5', false],
    ['score >= 8.5 && retries < 2', true],
    ["status == 'db_fetched'", true],
    ['status == "db_unfetched" or score > 8', true],
    ['status == 2', true],
    ["status == 'DB_Fetched' and 'db_FETCHED' eq status", true],
    ["status != 'DB_FETCHED'", false],
    ["status == 'status_fetched'", true],
    ["status =^ 'db_' and url != 'db_nothing'", true],
    ['2 != status', false],
    ['statusCode == 2', true],
    ['not (score gt 8)', false],
    ['!(score > 8) || distance eq 3', true],
    ['interval == 2592000 and fetchInterval eq interval', true],
    ['fetchTime > 2026-01-31T23:59:59Z', true],
    ['fetchTime < 2026-02-01T00:00:00Z', false],
    ["url =~ 'https://.*/news/.*'", true],
    ["url =~ 'news'", false],
    ["url !~ '.*\\\\.pdf'", true],
    ["url =^ 'https:' and url =$ '.html' and host !^ 'ftp' and host !$ '.org'", true],
    ["domain == 'example.com' && host != domain", true],
    ['score + 1 * 2 == 10.5', true],
    ['(score + 1) * 2 == 19', true],
    ['10 % 4 == 2 and 10 mod 4 == 2 and 9 / 3 == 3', true],
    ['-score < 0', true],
    ['- -score == score', true],
    ['score > 8 and score < 9 or false', true],
    ['false and false or true', true],
    ['(score > 9) == false', true],
    ["signature == 'abcd'", true],
    ['score > 1e1', false],
    ['retries == 1L and score > 8.4f', true],
  ])('%s evaluates to %s', (source, answer) => {
    expect(compileExpression(source)(page)).toBe(answer);
  });

  it.each<[string, number, string]>([
    ['', 1, 'something is missing'],
    ['score >', 8, 'something is missing'],
    ['score', 1, 'this is a number'],
    ['colour == 1', 1, 'colour is not known; known: url, host'],
    ['constructor == 1', 1, 'constructor is not known'],
    ['__proto__ == 1', 1, '__proto__ is not known'],
    ["score > 'x'", 7, 'a number cannot be compared with a text'],
    ['url + 1 == 2', 1, 'this is a text; a number is required'],
    ['score > 8 )', 11, '")" is not expected here'],
    ['(score > 8', 11, 'a ) is missing'],
    ["status == 'db_fetchd'", 11, '"db_fetchd" is no status of a page; there are db_unfetched, db_fetched, '],
    ["'fetched' ne status", 1, '"fetched" is no status of a page'],
    ['score = 8', 7, '"=" is not understood'],
    ['score > 8; 1', 10, '";" is not understood'],
    ['System.exit(0)', 1, 'System.exit is not known'],
    ['System == 1', 1, 'System is not known'],
    ["new('java.lang.Runtime')", 1, 'new is not known'],
    ['url =~ host', 8, 'the pattern must be a literal text'],
    ["url =~ '(a'", 8, 'missing closing'],
    ["url =~ '(?=a)'", 8, 'linear time'],
    ['true < false', 6, 'yes and no cannot be compared'],
    ["url == 'open", 8, 'is not understood'],
    ['score > 2026-13-01T00:00:00Z', 9, 'is not a valid time'],
    ['fetchTime < 2026-02-30T00:00:00Z', 13, 'is not a valid time'],
    [`${'('.repeat(80)}true`, 62, 'levels deep'],
    [`${'!'.repeat(80)}true`, 62, 'levels deep'],
    [`score > 1${' and score > 1'.repeat(400)}`, 4_001, 'longer than'],
    [`1${'+1'.repeat(600)} > 1`, 1_001, 'more than 1000 tokens'],
  ])('%s is refused at position %i', (source, position, reason) => {
    const refused = (): unknown => compileExpression(source);
    expect(refused).toThrow(ExpressionError);
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ position, reason: expect.stringContaining(reason) });
    }
  });

  it('compiles to a predicate or throws an ExpressionError for any text', () => {
    const words = fc.constantFrom(
      'score',
      'url',
      "'a'",
      '1',
      '>',
      '==',
      '=~',
      '(',
      ')',
      '!',
      '-',
      '+',
      'and',
      '||',
      'true',
      '\0',
      '\\',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words, { maxLength: 12 }).map((all) => all.join(' ')),
        ),
        (source) => {
          try {
            expect(typeof compileExpression(source)(page)).toBe('boolean');
          } catch (error) {
            expect(error).toBeInstanceOf(ExpressionError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
