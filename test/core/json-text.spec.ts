import { describe, expect, it } from 'vitest';
import { cleanText, DEFAULT_JSON_LIMITS, JsonRefused, readJson } from '../../src/core/json-text.js';

const LIMITS = { depth: 3, keysOfObject: 2, keysInAll: 4, valuesInAll: 6 };

describe('the limits of a JSON text', () => {
  it.each<[rule: string, text: string]>([
    ['as many levels as are allowed', '[{"a":[1]}]'],
    ['as many members of an object', '{"a":1,"b":2}'],
    ['as many members in all', '[{"a":1,"b":2},{"a":1,"b":2}]'],
    ['as many values in all', '[1,2,3,4,5,6]'],
    ['brackets in a text', '"[[[[[[[["'],
    ['brackets after an escaped quotation mark', String.raw`"\"[[[[[[[["`],
    ['colons and commas in a text', '"a:b:c:d:e:f,,,,,,,"'],
    ['a text after an escaped backslash', String.raw`["\\",[[]]]`],
    ['as many levels after others have ended', '[[[]],[[]]]'],
  ])('allow %s', (_rule, text) => expect(readJson(text, LIMITS)).toEqual(JSON.parse(text)));

  it.each<[text: string, message: string]>([
    ['[[[[]]]]', 'it is nested deeper than 3 levels'],
    ['{"a":{"a":{"a":{}}}}', 'it is nested deeper than 3 levels'],
    ['{"a":1,"b":2,"c":3}', 'an object has more than 2 members'],
    ['{"a":1,"a":2,"a":3}', 'an object has more than 2 members'],
    ['{"a":{"a":1,"b":2},"b":1,"c":1}', 'an object has more than 2 members'],
    ['{"a":{"a":1,"b":{"a":1,"b":2}}}', 'it has more than 4 members in all'],
    ['[1,2,3,4,5,6,7]', 'it has more than 6 values in all'],
    ['[[],[],[],[]]', 'it has more than 6 values in all'],
    [String.raw`["\\",[[[]]]]`, 'it is nested deeper than 3 levels'],
    // Measured before it is parsed.
    ['[[[[', 'it is nested deeper than 3 levels'],
  ])('refuse %s: %s', (text, message) => expect(() => readJson(text, LIMITS)).toThrow(new JsonRefused(message)));

  it('are 64 levels by default', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(DEFAULT_JSON_LIMITS.depth).toBe(64);
    expect(JSON.stringify(readJson(nested(64)))).toBe(nested(64));
    expect(() => readJson(nested(65))).toThrow(new JsonRefused('it is nested deeper than 64 levels'));
  });
});

describe('a JSON text is refused', () => {
  it.each<[text: string, message: string]>([
    ['{"__proto__":{}}', 'a member must not be called "__proto__"'],
    ['[{"a":{"constructor":1}}]', 'a member must not be called "constructor"'],
    [String.raw`{"\u0070rototype":1}`, 'a member must not be called "prototype"'],
    ['[1e999]', 'a number is too large'],
    ['-1e999', 'a number is too large'],
    [String.raw`{"a":"b\u0000"}`, 'a text has a NUL character'],
    [String.raw`{"a\u0000":1}`, 'a text has a NUL character'],
    [String.raw`{"a\ud800":1}`, 'the name of a member has a lone surrogate'],
  ])('%s: %s', (text, message) => expect(() => readJson(text)).toThrow(new JsonRefused(message)));

  it.each(['', '{', "{'a':1}", '[1,]', 'nothing'])('with a SyntaxError where it is none (RFC 8259): %j', (text) => {
    expect(() => readJson(text)).toThrow(SyntaxError);
  });
});

describe('a value of a JSON text', () => {
  it.each<[rule: string, text: string, value: unknown]>([
    ['is a text without an object around it', '"a"', 'a'],
    ['has a lone surrogate replaced', String.raw`["a\ud800b","\udc00"]`, ['a\uFFFDb', '\uFFFD']],
    ['keeps a pair of surrogates', String.raw`"\ud83d\ude00"`, '😀'],
    ['keeps null, booleans and numbers', '[null,true,-1.5e3,0]', [null, true, -1_500, 0]],
    ['is the last of two members of a name', '{"a":1,"a":2}', { a: 2 }],
    ['is cleaned at any depth', String.raw`{"a":[{"b":["\ud800"]}]}`, { a: [{ b: ['\uFFFD'] }] }],
  ])('%s', (_rule, text, value) => expect(readJson(text)).toEqual(value));
});

it('a text alone is cleaned likewise', () => {
  expect(cleanText('a\ud800')).toBe('a\uFFFD');
  expect(() => cleanText('a\0')).toThrow(new JsonRefused('a text has a NUL character'));
});
