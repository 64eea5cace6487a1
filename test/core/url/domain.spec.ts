import { describe, expect, it } from 'vitest';
import { domainKeyOf, domainOf } from '../../../src/core/url/domain.js';
import { isIpHost } from '../../../src/core/url/ip-host.js';
import { partitionHash, queueKeyOf } from '../../../src/core/url/partition.js';
import { resolveUrl } from '../../../src/core/url/resolve.js';
import { publicSuffixOf } from '../../support/public-suffix.js';

describe('the registered domain of a host (publicsuffix.org)', () => {
  it.each([
    ['www.example.co.uk', 'example.co.uk', 'co.uk'],
    // The private section counts: two sites of one hosting provider have two owners.
    ['a.b.github.io', 'b.github.io', 'github.io'],
    ['WWW.Example.COM.', 'example.com', 'com'],
    ['localhost', 'localhost', null],
    // No rule of the list: its last one, `*`, makes one domain of the hosts of an intranet.
    ['h1.corp.internal', 'corp.internal', null],
    ['a.h2.corp.internal', 'corp.internal', null],
    ['corp.internal', 'corp.internal', null],
    ['internal', 'internal', null],
    ['10.0.0.7', '10.0.0.7', null],
    ['192.0.2.1', '192.0.2.1', null],
    ['[2001:db8::1]', '[2001:db8::1]', null],
    ['', '', null],
  ])('%s belongs to %s under %s', (host, domain, suffix) => {
    expect([domainOf(host), publicSuffixOf(host)]).toEqual([domain, suffix]);
  });

  it.each([
    ['com.example.www', 'com.example'],
    ['uk.co.example.www', 'uk.co.example'],
    ['io.github.b.a', 'io.github.b'],
    ['192.0.2.1', '192.0.2.1'],
    ['[2001-db8--1]', '[2001-db8--1]'],
    ['localhost', 'localhost'],
    ['internal.corp.h1', 'internal.corp'],
  ])('the reversed domain of %s is %s', (hostKey, domainKey) => {
    expect(domainKeyOf(hostKey)).toBe(domainKey);
  });

  it.each([
    ['192.0.2.1', true],
    ['[::1]', true],
    ['1.2.3.256', false],
    ['1.2.3', false],
    ['a1.b2.c3.d4', false],
    ['', false],
  ])('%s is an address: %s', (host, is) => {
    expect(isIpHost(host)).toBe(is);
  });
});

describe('queue keys (fetcher.queue.mode)', () => {
  it.each([
    ['byHost', undefined, 'www.example.org'],
    ['byDomain', undefined, 'example.org'],
    ['byIP', '192.0.2.1', '192.0.2.1'],
    // While the address is unknown the host keeps its pages together.
    ['byIP', undefined, 'www.example.org'],
    ['unknown', undefined, 'www.example.org'],
  ])('in mode %s with address %s are %s', (mode, ip, key) => {
    expect(queueKeyOf('https://WWW.example.org:8080/x', mode, ip)).toBe(key);
  });

  it.each(['byHost', 'byDomain'])('in mode %s are the same for both forms of an internationalized host', (mode) => {
    const [ascii, unicode] = ['http://xn--bcher-kva.example/', 'http://Bücher.example/x'];
    expect(queueKeyOf(unicode, mode)).toBe(queueKeyOf(ascii, mode));
  });

  it('of a text without a host are the text', () => {
    expect(queueKeyOf('no url', 'byHost')).toBe('no url');
  });

  it('hash to 31 bits, as Java does', () => {
    expect(partitionHash('')).toBe(0);
    expect(partitionHash('hello')).toBe(99_162_322);
    // Java: "polygenelubricants".hashCode() is -2^31.
    expect(partitionHash('polygenelubricants')).toBe(0);
  });

  it('are hashed with a seed to 31 bits (partition.url.seed)', () => {
    expect(partitionHash('hello', 42)).toBe(99_162_360);
    expect(partitionHash('hello', -7)).toBe(2_048_321_323);
  });
});

describe('a reference resolved against its base (RFC 3986 §5.2)', () => {
  it.each([
    ['http://b.com/', 'http://a.com/', 'http://b.com/'],
    ['x', 'not a base', null],
    ['http://[', 'http://a.com/', null],
    ['x'.repeat(16_385), 'http://a.com/', null],
    ['mailto:a@b', 'http://a.com/', 'mailto:a@b'],
    [' \n/x\ty ', 'http://a.com/', 'http://a.com/xy'],
  ])('%.20s on %s is %s', (ref, base, url) => {
    expect(resolveUrl(ref, base)).toBe(url);
  });
});
