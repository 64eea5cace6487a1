import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeBasic } from '../../../src/core/url/normalize-basic.js';
import {
  fitsRowKey,
  hostKeyOf,
  MalformedUrlError,
  MAX_ROW_KEY_BYTES,
  reverseHost,
  reverseUrl,
  unreverseHost,
  unreverseUrl,
} from '../../../src/core/url/row-key.js';

describe('the row key of a URL (Nutch TableUtil)', () => {
  it.each([
    ['http://foo.bar.com:8983/to/index.html?a=b', 'com.bar.foo:http:8983/to/index.html?a=b'],
    ['http://a.com/?u=http://b.com/', 'com.a:http/?u=http://b.com/'],
    // An address is not a list of labels: its order is kept.
    ['http://192.168.0.1:8080/x', '192.168.0.1:http:8080/x'],
    // The colons of IPv6 are written as dashes, so that the first colon ends the host.
    ['http://[2001:db8::1]/', '[2001-db8--1]:http/'],
    ['https://[2001:db8::1]:8443/a:b', '[2001-db8--1]:https:8443/a:b'],
    // Four numbers that are not an address are a name.
    ['http://1.2.3.400/', '400.3.2.1:http/'],
  ])('of %s is %s, and converts back', (url, key) => {
    expect(reverseUrl(url)).toBe(key);
    expect(unreverseUrl(key)).toBe(url);
  });

  it.each([
    ['http://user:word@a.com/x#top', 'com.a:http/x'],
    ['http://a@b@c.com/', 'com.c:http/'],
    ['http://a.com:/', 'com.a:http/'],
    ['http://a.com?x', 'com.a:http/?x'],
    ['http://a.com\\@b.com/', 'com.a:http\\@b.com/'],
  ])('of %s is %s', (url, key) => {
    expect(reverseUrl(url)).toBe(key);
  });

  it.each(['', 'no url', '://a', '1http://a.com/', '//a.com/'])('of %j does not exist', (text) => {
    expect(() => reverseUrl(text)).toThrow(MalformedUrlError);
  });

  it.each([
    ['com.example.www:http/a:b', 'com.example.www'],
    ['[2001-db8--1]:http/', '[2001-db8--1]'],
    [':file/a', ''],
    ['com.example', 'com.example'],
  ])('%s begins with the host key %j', (key, host) => {
    expect(hostKeyOf(key)).toBe(host);
  });

  it('fits when it has at most 2,000 bytes of UTF-8', () => {
    expect(fitsRowKey('x'.repeat(MAX_ROW_KEY_BYTES))).toBe(true);
    expect(fitsRowKey('x'.repeat(MAX_ROW_KEY_BYTES + 1))).toBe(false);
    expect(fitsRowKey('ü'.repeat(1000))).toBe(true);
    expect(fitsRowKey('ü'.repeat(1001))).toBe(false);
  });
});

describe('any row key', () => {
  const label = fc.stringMatching(/^[a-z0-9-]{1,10}$/);
  const host = fc.oneof(
    fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.')),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
  );
  const port = fc.option(fc.integer({ min: 1, max: 65_535 }));
  const rest = fc.stringMatching(/^[!$&-;=?-Z_a-z~]{0,30}$/);

  it('converts back to its URL, byte for byte', () => {
    const url = fc
      .tuple(fc.constantFrom('http', 'https', 'ftp'), host, port, rest)
      .map(([scheme, name, number, path]) => `${scheme}://${name}${number === null ? '' : `:${number}`}/${path}`);
    fc.assert(
      fc.property(url, (text) => {
        expect(unreverseUrl(reverseUrl(text))).toBe(text);
      }),
    );
  });

  it('sorts the pages of a host together, and the hosts below a name together', () => {
    const few = fc.constantFrom('a', 'b', 'a-b', 'a1');
    const name = fc.array(few, { minLength: 1, maxLength: 3 }).map((labels) => `${labels.join('.')}.com`);
    const url = fc.tuple(fc.constantFrom('http', 'https'), name, port, rest);
    const isOneRun = (flags: boolean[]) =>
      flags.lastIndexOf(true) - flags.indexOf(true) === flags.filter(Boolean).length - 1;
    fc.assert(
      fc.property(fc.array(url, { minLength: 2, maxLength: 30 }), (parts) => {
        const keys = parts
          .map(([scheme, site, number, path]) =>
            reverseUrl(`${scheme}://${site}${number === null ? '' : `:${number}`}/${path}`),
          )
          .sort();
        for (const hostKey of new Set(keys.map(hostKeyOf))) {
          expect(isOneRun(keys.map((key) => key.startsWith(`${hostKey}:`)))).toBe(true);
          const below = keys.map((key) => key.startsWith(`${hostKey}.`));
          expect(!below.includes(true) || isOneRun(below)).toBe(true);
        }
      }),
    );
  });

  it('reverses a host and converts it back', () => {
    fc.assert(
      fc.property(host, (name) => {
        expect(unreverseHost(reverseHost(name))).toBe(name);
      }),
    );
  });

  it('exists for every URL that the basic normalizer returns, and converts back to it', () => {
    const options = { idn: 'toAscii', idna2008: true, trimTrailingDot: true } as const;
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const url = normalizeBasic(text, options);
        expect(url === null ? null : unreverseUrl(reverseUrl(url))).toBe(url);
      }),
    );
  });
});
