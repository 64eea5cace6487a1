import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeBasic, type NormalizeBasicOptions } from '../../../src/core/url/normalize-basic.js';
import { unicodeText } from '../../support/unicode-text.js';

const toAscii: NormalizeBasicOptions = { idn: 'toAscii', idna2008: true, trimTrailingDot: false };
const normalize = (url: string, options = toAscii) => normalizeBasic(url, options);

describe('the normal form of urlnormalizer-basic (RFC 3986 §6.2.2)', () => {
  it.each([
    // RFC 3986 §6.2.2.1: scheme and host in lower case, escapes with upper-case digits.
    ['HTTP://EXAMPLE.com/%c3%bc', 'http://example.com/%C3%BC'],
    // §6.2.2.2: unreserved characters are not escaped.
    ['http://a.com/%7Euser/%2D', 'http://a.com/~user/-'],
    // §6.2.2.3: dot segments; escaped dots are dots.
    ['http://a.com/b/%2e%2E/c', 'http://a.com/c'],
    // §6.2.3: default ports, an empty path.
    ['https://a.com:443', 'https://a.com/'],
    ['http://a.com:0080/', 'http://a.com/'],
    // The query is no path.
    ['http://a.com/?x=a//b/../c', 'http://a.com/?x=a//b/../c'],
    ['http://a.com/%%41', 'http://a.com/%25A'],
    // Our own choice: a backslash is a slash, as in browsers, and an address has one spelling.
    ['http://a.com\\@b.com/', 'http://a.com/@b.com/'],
    ['http://a.com\\..\\b', 'http://a.com/b'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://[0:0:0::1]:80/', 'http://[::1]/'],
    ['http://127.0.0.1./', 'http://127.0.0.1/'],
    ['mailto:a@b.com', 'mailto:a@b.com'],
  ])('of %s is %s', (given, normal) => {
    expect(normalize(given)).toBe(normal);
  });

  it.each([
    'no url',
    '',
    'http://a b.com/',
    'http://a.com:x/',
    'http://a.com:65536/',
    'http://a%00.com/',
    'http://a%2fb.com/',
    // After any of these a URL parser would expect something other than a host.
    'http://é%2Fevil.com/x',
    'http://é%3Fevil.com/x',
    'http://é%23evil.com/x',
    'http://é%5Cevil.com/x',
    'http://user%40é.com/x',
    'http://é%3A80/x',
    'http://é%2541.com/x',
    'http://é%09.com/x',
    'http://xn--9ca%2Fevil.com/x',
    'http://[::1/',
    'http://[::g]/',
    'http://1.2.3.4.5/',
    'http://%ff.com/',
  ])('of malformed %j is null', (given) => {
    expect(normalize(given)).toBe(null);
  });
});

describe('the normal form of any URL', () => {
  const nasty = fc.stringMatching(/^[a-zA-Z0-9%./?#@:\\[\] ü&=;~^{|-]{0,40}$/);
  const given = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    nasty.map((text) => `http://a.com/${text}`),
    nasty.map((text) => `https://${text}`),
    nasty.map((text) => `file:${text}`),
    unicodeText().map((text) => `http://a.com/${text}`),
  );
  const options = fc.record({
    idn: fc.constantFrom<NormalizeBasicOptions['idn']>('', 'toAscii', 'toUnicode'),
    idna2008: fc.boolean(),
    trimTrailingDot: fc.boolean(),
  });

  it('is unchanged when it is normalized again', () => {
    fc.assert(
      fc.property(given, options, (url, how) => {
        const once = normalizeBasic(url, how);
        fc.pre(once !== null);
        expect(normalizeBasic(once, how)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('has the same host for WHATWG URL', () => {
    fc.assert(
      fc.property(given, (url) => {
        const normal = normalize(url);
        fc.pre(normal !== null && /^https?:\/\/./.test(normal));
        const host = /^https?:\/\/([^/:[]+|\[[^\]]*\])/.exec(normal)?.[1];
        expect(URL.parse(normal)?.hostname).toBe(host);
      }),
      { numRuns: 2000 },
    );
  });
});
