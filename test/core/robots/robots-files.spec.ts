import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { MAX_ROBOTS_BYTES, parseRobots } from '../../../src/core/robots/robots-file.js';
import { judge } from '../../../src/core/robots/robots-verdict.js';

const allows = (file: string, path: string, agent = 'orbweaver') => judge(parseRobots(file), [agent], path).allowed;
const forAll = (rules: string) => `user-agent: *\n${rules}`;

describe('robots.txt files outside the syntax of RFC 9309 §2.2', () => {
  it.each<[string, string | Buffer]>([
    ['CR line ends', 'user-agent: x\rdisallow: /p\r'],
    ['LF CR line ends', 'user-agent: x\n\rdisallow: /p\n\r'],
    ['mixed CR LF, LF and CR line ends', '#\r\nuser-agent: x\rdisallow: /p\n'],
    ['NUL at the end of lines', 'user-agent: x\0\ndisallow: /p\0\n'],
    ['a byte order mark', '\ufeffuser-agent: x\ndisallow: /p'],
    ['two byte order marks', '\ufeff\ufeffuser-agent: x\ndisallow: /p'],
    [
      'an incomplete byte order mark',
      Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from('user-agent: x\ndisallow: /p')]),
    ],
    ['white space around names and values', ' \tuser-agent\t:\t x \n  Disallow  :  /p  \n'],
    ['no colons', 'user-agent x\ndisallow /p'],
    ['useragent for user-agent', 'useragent: x\ndisallow: /p'],
    ['user agent for user-agent', 'user agent: x\ndisallow: /p'],
    ['names in capitals', 'USER-AGENT: X\nDISALLOW: /p'],
    ['a misspelt Disallow', 'user-agent: x\ndissallow: /p'],
    ['empty lines inside a group', 'user-agent: x\n\n\n\ndisallow: /p'],
    ['comments', 'user-agent: x # me\n# none\ndisallow: /p#q'],
    ['a version after the product token', 'user-agent: x/1.0\ndisallow: /p'],
    ['words after the product token', 'user-agent: x the bot\ndisallow: /p'],
    ['words after the star', 'user-agent: * all of you\ndisallow: /p'],
    ['an empty product token beside ours', 'user-agent:\nuser-agent: x\ndisallow: /p'],
    ['HTML around it', '<html><pre>\nuser-agent: x\ndisallow: /p\n</pre>'],
    ['no final line end', 'user-agent: x\ndisallow: /p'],
    ['unknown records in the group', 'user-agent: x\nnoindex: /\nhost: a.test\nrequest-rate: 1/5\ndisallow: /p'],
    ['a Crawl-delay between two user-agent lines', 'user-agent: x\ncrawl-delay: 2\nuser-agent: y\ndisallow: /p'],
    ['bytes that are not UTF-8', Buffer.from('user-agent: x\ndisallow: /\xe4\ndisallow: /p', 'latin1')],
  ])('a file with %s disallows /p and nothing else', (_, file) => {
    const robots = parseRobots(file);
    expect(['/p', '/p/q', '/q'].map((path) => judge(robots, ['x'], path).allowed)).toEqual([false, false, true]);
  });

  it.each([
    ['a rule before any user-agent line', 'disallow: /p\nuser-agent: x\ndisallow: /q'],
    ['an empty product token', 'user-agent:\ndisallow: /p'],
    ['a product token that begins with ours', 'user-agent: xy\ndisallow: /p'],
    ['a product token with a star before ours', 'user-agent: *x\ndisallow: /p'],
    ['two product tokens in one line, ours second', 'user-agent: y, x\ndisallow: /p'],
    ['an empty Disallow', 'user-agent: x\ndisallow:\n\nuser-agent: *\ndisallow: /p'],
    ['three words without a colon', 'user-agent: x\ndisallow /p now'],
    ['a path without a slash', 'user-agent: x\ndisallow: p'],
    ['no content', ''],
    ['only a byte order mark', '\ufeff'],
  ])('a file with %s allows /p', (_, file) => {
    expect(allows(file, '/p', 'x')).toBe(true);
  });

  it('a very long line is cut, and the next line still applies', () => {
    const long = `/x${'y'.repeat(2083 * 8)}`;
    const file = `user-agent: *\ndisallow: ${long}/end\ndisallow: /p`;
    expect([allows(file, long), allows(file, '/p')]).toEqual([false, false]);
  });
});

describe('the robots.txt line that decided', () => {
  it('is reported with its number and text, counting each kind of line end once', () => {
    const robots = parseRobots('\ufeffUser-agent: *\r\n\rDisallow: /a # not this\nAllow: /ü');
    expect(judge(robots, ['x'], '/a/b').line).toEqual({ number: 3, text: 'Disallow: /a # not this' });
    expect(judge(robots, ['x'], '/ü').line).toEqual({ number: 4, text: 'Allow: /ü' });
    expect(judge(robots, ['x'], '/c').line).toBe(null);
  });
});

// RFC 9309 §2.5: at least 500 KiB are read. A longer file is cut, and an incomplete line is not a rule.
describe('parsing of hostile robots.txt files (RFC 9309 §2.5, limits)', () => {
  it('drops the incomplete line at the cut', () => {
    const file = `user-agent: *\n${'#'.repeat(MAX_ROBOTS_BYTES - 14 - 12)}\ndisallow: /x/private`;
    expect(file.slice(0, MAX_ROBOTS_BYTES)).toMatch(/\ndisallow: \/$/);
    expect(allows(file, '/y')).toBe(true);
  });

  it('reads a group with 16,000 user-agent lines and 20,000 records', () => {
    const file = `${'User-agent: a\nUser-agent: b\n'.repeat(8000)}${'Crawl-delay: 1\nAllow: /\n'.repeat(10_000)}`;
    expect(judge(parseRobots(file), ['a', 'b'], '/x')).toMatchObject({ allowed: true, crawlDelay: 1 });
  });

  it('stores a repeated rule of a group once, with its first line', () => {
    const robots = parseRobots(`user-agent: *\n${'disallow: /a\nallow: /b\nallow: /b\n'.repeat(10_000)}`);
    expect(robots.agents.get('*')?.[0]?.group.rules).toHaveLength(2);
    expect(judge(robots, ['x'], '/a').line?.number).toBe(2);
    expect(judge(robots, ['x'], '/b').line?.number).toBe(3);
  });

  it('decodes the escapes of a query once for all rules', () => {
    const rules = Array.from({ length: 5000 }, (_, i) => `disallow: /?${i}z`).join('\n');
    const opened = vi.spyOn(globalThis, 'decodeURIComponent');
    try {
      expect(allows(forAll(rules), `/?${'%2F'.repeat(600)}`)).toBe(true);
      expect(opened.mock.calls.length).toBeLessThanOrEqual(600);
    } finally {
      opened.mockRestore();
    }
  });

  it('matches thousands of stars without backtracking', () => {
    expect(allows(forAll(`disallow: /${'*a'.repeat(8000)}b`), `/${'a'.repeat(4000)}`)).toBe(true);
    expect(allows(forAll(`disallow: /*${`${'a'.repeat(1900)}b`.repeat(2)}`), `/${'a'.repeat(4000)}`)).toBe(true);
  });

  it('accepts any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, path) => {
        expect(judge(parseRobots(bytes), ['x'], path).allowed).toBeTypeOf('boolean');
      }),
    );
  });
});
