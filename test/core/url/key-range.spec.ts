import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  behindPrefix,
  boundOf,
  boundOfUrl,
  isKeyBound,
  keysOfHost,
  keysWithUrlPrefix,
  within,
} from '../../../src/core/url/key-range.js';
import { unicodeText } from '../../support/unicode-text.js';

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('the range of all keys with a prefix', () => {
  it.each([
    ['org.apache.', 'org.apache/'],
    ['a\u{D7FF}', 'a\u{E000}'],
    ['a\u{10FFFF}', 'b'],
    ['\u{10FFFF}\u{10FFFF}', undefined],
    ['', undefined],
  ])('ends before the first string after %j', (prefix, end) => {
    expect(behindPrefix(prefix)).toBe(end);
  });

  it('contains exactly the strings with the prefix, in byte order', () => {
    const text = unicodeText({ maxLength: 4 }).filter((one) => one.isWellFormed());
    fc.assert(
      fc.property(text, text, text, (prefix, rest, other) => {
        const end = behindPrefix(prefix);
        const holds = (key: string) => compare(key, prefix) >= 0 && (end === undefined || compare(key, end) < 0);
        expect(holds(prefix + rest)).toBe(true);
        expect(holds(other)).toBe(other.startsWith(prefix));
      }),
    );
  });

  it('ends with the host for the keys of a host', () => {
    expect(keysOfHost('org.apache')).toEqual({ from: 'org.apache:', before: 'org.apache;' });
  });
});

describe('the bound that a URL gives', () => {
  it.each([
    ['http://a.test', 'test.a:http'],
    ['http://a.test/', 'test.a:http/'],
    ['HTTP://A.test:80/X y', 'test.a:http/X%20y'],
    ['https://bücher.test:8443/日?ü=%41', 'test.xn--bcher-kva:https:8443/%E6%97%A5?%C3%BC=%41'],
    ['http://a.test?q', 'test.a:http/?q'],
    ['http://a.test/\ud800', 'test.a:http/%EF%BF%BD'],
    ['http:///x', ':http/x'],
  ])('is the key under which it is stored, as far as it goes: %j', (url, key) => {
    expect(boundOfUrl(url)).toBe(key);
  });
});

describe('a bound that is a URL or a row key', () => {
  it.each([
    ['http://a.test/r', 'test.a:http/r'],
    ['HTTPS://a.test/', 'test.a:https/'],
    ['test.a:http/r?u=http://b.test/', 'test.a:http/r?u=http://b.test/'],
    ['test.a:http:8080/://', 'test.a:http:8080/://'],
    [':file/a', ':file/a'],
    ['org.apache/', 'org.apache/'],
    ['test.a:', 'test.a:'],
    ['', ''],
  ])('%j means the key %j', (text, key) => {
    expect([isKeyBound(text), boundOf(text)]).toEqual([true, key]);
  });

  it.each(['://', '1http://a.test/', ' http://a.test/'])('is not %j', (text) => {
    expect(isKeyBound(text)).toBe(false);
  });
});

describe('the intersection of two ranges', () => {
  it.each([
    [{}, {}, {}],
    [{ from: 'a', before: 'c' }, {}, { from: 'a', before: 'c' }],
    [
      { from: 'a', before: 'c' },
      { from: 'b', before: 'd' },
      { from: 'b', before: 'c' },
    ],
    // In UTF-16 the order of these two would be reversed.
    [{ from: '\u{FFFD}' }, { from: '\u{1F578}' }, { from: '\u{1F578}' }],
  ])('of %j and %j is the same in both orders', (a, b, both) => {
    expect(within(a, b)).toEqual({ from: undefined, before: undefined, ...both });
    expect(within(b, a)).toEqual(within(a, b));
  });
});

describe('a URL prefix from a request', () => {
  it.each([
    ['http://site.test/docs/', 'test.site:http/docs/'],
    ['http://site.test', 'test.site:http/'],
    ['HTTPS://User@WWW.Site.Test:443?q', 'test.site.www:https/?q'],
    ['http://site.test:8080/a#b', 'test.site:http:8080/a'],
    ['http://site.test/ü b', 'test.site:http/%C3%BC%20b'],
    ['http://bücher.test/', 'test.xn--bcher-kva:http/'],
    ['http://[2001:DB8::1]/', '[2001-db8--1]:http/'],
    ['org.apache.', 'org.apache.'],
    ['org.apache:http/?u=http://b.test/', 'org.apache:http/?u=http://b.test/'],
  ])('%s selects keys with the prefix %s', (prefix, from) => {
    expect(keysWithUrlPrefix(prefix)?.from).toBe(from);
  });

  it.each(['http://', 'http://a b/', 'http://a.test:99999/', 'http://[::/'])('%s selects nothing', (prefix) => {
    expect(keysWithUrlPrefix(prefix)).toBeNull();
  });
});
