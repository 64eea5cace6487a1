import { describe, expect, it } from 'vitest';
import { headerRecord, textOfBytes } from '../../../src/core/http/header-fields.js';

/** The header section of an answer as a record (RFC 9110 §5). */

/** The record of these lines, each a name and a value, as Node hands them over: bytes. */
const recordOf = (...lines: [string, string | Buffer][]) => ({
  ...headerRecord(lines.flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)])),
});

describe('the header section of an answer', () => {
  it('has its names in lower case (RFC 9110 §5.1) and its values without blanks around them (§5.5)', () => {
    expect(recordOf(['Content-TYPE', ' \ttext/html '], ['ETag', ''])).toEqual({
      'content-type': 'text/html',
      etag: '',
    });
  });

  it.each(['cache-control', 'link', 'vary', 'www-authenticate', 'x-any'])(
    'joins the lines of %s by a comma, in their order (RFC 9110 §5.3)',
    (name) => expect(recordOf([name, 'a'], ['x', '-'], [name.toUpperCase(), 'b'])[name]).toBe('a, b'),
  );

  it.each(['set-cookie', 'x-robots-tag'])('keeps the lines of %s apart, as their values contain commas', (name) =>
    expect(recordOf([name, 'a, b'], [name, 'c'])[name]).toBe('a, b\nc'),
  );

  it.each([
    'age',
    'content-length',
    'content-location',
    'content-type',
    'date',
    'etag',
    'expires',
    'last-modified',
    'location',
    'refresh',
    'retry-after',
    'server',
  ])('takes the first of several lines of %s, which has one value', (name) =>
    expect(recordOf([name, 'a'], [name, 'b'])[name]).toBe('a'),
  );

  it.each([
    ['ASCII', Buffer.from('/a'), '/a'],
    ['UTF-8', Buffer.from('/straße'), '/straße'],
    ['Latin-1 otherwise', Buffer.from('/straße', 'latin1'), '/straße'],
    ['Latin-1 where UTF-8 is cut', Buffer.from([0x2f, 0xc3]), '/Ã'],
  ])('is read as %s (RFC 9110 §5.5: other bytes are opaque)', (_charset, bytes, text) =>
    expect(recordOf(['location', bytes])['location']).toBe(text),
  );

  it('keeps a character for each byte of a challenge, as parts of it are sent back', () => {
    const challenge = recordOf(['WWW-Authenticate', 'Basic realm="Straße"'])['www-authenticate']!;
    expect(challenge).toBe('Basic realm="StraÃ\u009fe"');
    expect(textOfBytes(challenge)).toBe('Basic realm="Straße"');
  });

  it('has fields of any name, and no others', () => {
    const record = headerRecord(['__proto__', 'a', 'constructor', 'b', 'lonely']);
    expect([Object.getPrototypeOf(record), Object.entries(record)]).toEqual([
      null,
      [
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ],
    ]);
    expect(headerRecord([])['toString']).toBeUndefined();
  });
});
