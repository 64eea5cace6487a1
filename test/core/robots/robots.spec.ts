import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { compilePattern, fits, matchablePath } from '../../../src/core/robots/path-pattern.js';
import { MAX_ROBOTS_BYTES, parseRobots } from '../../../src/core/robots/robots-file.js';
import { robotsOfStatus } from '../../../src/core/robots/robots-status.js';
import { judge, onlyFor } from '../../../src/core/robots/robots-verdict.js';
import { weightOf } from '../../../src/core/robots/robots-weight.js';

const allows = (file: string, path: string, agent = 'orbweaver') => judge(parseRobots(file), [agent], path).allowed;
const forAll = (rules: string) => `user-agent: *\n${rules}`;

// RFC 9309 section 2.2.1: agents are compared without regard to case, groups of one agent are merged, `*` is for the rest.
describe('section 2.2.1, the user-agent line', () => {
  const file =
    'user-agent: ORBweaver/2.0\ndisallow: /a\n\nuser-agent: *\ndisallow: /\n\nuser-agent: orbweaver\ndisallow: /b';
  it.each([
    ['orbweaver', '/a', false],
    ['Orbweaver', '/b', false],
    ['orbweaver/1.0', '/c', true],
    ['other', '/c', false],
    // A name is matched as a whole, not as a beginning.
    ['orb', '/c', false],
  ])('%s may fetch %s: %s', (agent, path, allowed) => {
    expect(allows(file, path, agent)).toBe(allowed);
  });

  it('counts the groups of all our names', () => {
    const robots = parseRobots('user-agent: a\ndisallow: /a\n\nuser-agent: b\ndisallow: /b');
    expect(['/a', '/b', '/c'].map((path) => judge(robots, ['a', 'b'], path).allowed)).toEqual([false, false, true]);
  });

  it.each([
    [
      ['b', 'a/1.0'],
      ['b', 'a'],
    ],
    [['a'], ['a']],
    [['c'], ['*']],
    [['*'], ['*']],
    [[], ['*']],
  ])('decides for %j whose groups count: %j', (names, expected) => {
    const robots = parseRobots('user-agent: a\nuser-agent: b\ndisallow: /\n\nuser-agent: *\ndisallow: /');
    expect(judge(robots, names, '/').agents).toEqual(expected);
    expect(judge(parseRobots('user-agent: d\ndisallow: /'), names, '/').agents).toEqual([]);
  });

  it.each([
    ['our names', ['b', 'a/1.0'], 'user-agent: a\nuser-agent: b\ncrawl-delay: 2\ndisallow: /'],
    ['a name that has none', ['c'], 'user-agent: *\ndisallow: /'],
  ])('without the groups of others judges the same, and weighs less (%s)', (_what, names, ours) => {
    const others = Array.from({ length: 20 }, (_, i) => `user-agent: other${i}\ndisallow: /${i}`).join('\n');
    const whole = parseRobots(`${ours}\n\n${others}`);
    const part = onlyFor(names, whole);
    for (const path of ['/', '/1']) expect(judge(part, names, path)).toEqual(judge(whole, names, path));
    expect(judge(part, names, '/').allowed).toBe(false);
    expect([...part.agents.keys()].some((name) => name.startsWith('other'))).toBe(false);
    expect(weightOf(part)).toBeLessThan(weightOf(whole) / 4);
  });

  it('allows all to an agent whose group has no rules', () => {
    expect(allows('user-agent: orbweaver\ndisallow:\n\nuser-agent: *\ndisallow: /', '/x')).toBe(true);
  });
});

// RFC 9309 section 2.2.2: the longest match wins; of equals, allow wins; octets are compared after percent-encoding.
describe('section 2.2.2, allow and disallow', () => {
  it.each([
    ['/page', 'allow: /p\ndisallow: /', true],
    ['/page', 'disallow: /page\nallow: /page', true],
    ['/folder/page', 'allow: /folder\ndisallow: /folder/p', false],
    ['/foo/bar/%E3%83%84', 'disallow: /foo/bar/ツ', false],
    ['/foo/bar/ツ', 'disallow: /foo/bar/%e3%83%84', false],
    ['/foo/bar/baz', 'disallow: /foo/bar/%62%61%7A', false],
    ['/foo/bar/%62%61%7A', 'disallow: /foo/bar/baz', false],
    ['/a%2Fb', 'disallow: /a/b', true],
    // The examples of section 2.2.2.
    ['/foo/bar?baz=https%3A%2F%2Ffoo.bar', 'disallow: /foo/bar?baz=https://foo.bar', false],
    ['/foo/bar?baz=https://foo.bar', 'disallow: /foo/bar?baz=https%3a%2f%2ffoo.bar', false],
    ['/foo/bar?baz=https://foo.bar', 'disallow: /*https://', false],
    ['/foo/bar?a=1%262', 'disallow: /foo/bar?a=1&2', true],
    ['/a%3Cb%7C', 'disallow: /a<b|', false],
    ['/a<b|', 'disallow: /a%3cb%7c', false],
    ['/%5Bx%5D', 'disallow: /[x]', false],
    ['/a%20b', 'disallow: /a b', false],
    ['/100%', 'disallow: /100%', false],
    ['/100%25', 'disallow: /100%', false],
    ['/$', 'disallow: /%', true],
    ['/a!', 'disallow: /a%21', true],
    ['http://u:p@site.test:8080/p?q#f', 'disallow: /p?q$', false],
    ['http://site.test?q', 'disallow: /?q', false],
    ['http://site.test', 'disallow: /$', false],
    ['/x', 'disallow: x', true],
    ['/ax', 'disallow: *x', false],
    ['//x', 'disallow: //', false],
    ['/x/', 'allow: /x/index.html\ndisallow: /', true],
    ['/robots.txt', 'disallow: /', true],
    ['/robots.txt?x', 'disallow: /', false],
    ['', 'disallow: /', false],
    ['/page#top', 'disallow: /page$', false],
  ])('%s under %j is allowed: %s', (path, rules, allowed) => {
    expect(allows(forAll(rules), path)).toBe(allowed);
  });
});

// RFC 9309 section 2.2.3: `*` stands for any octets, `$` for the end; %2A and %24 are the characters themselves.
describe('section 2.2.3, special characters', () => {
  it.each([
    ['/a/b/c', '/a/*/c', false],
    ['/a/c', '/a/*/c', true],
    ['/x.php?y', '/*.php$', true],
    ['/x.php', '/*.php$', false],
    ['/file-with-a-*.html', '/file-with-a-%2A.html', false],
    ['/file-with-a-b.html', '/file-with-a-%2A.html', true],
    ['/foo-$', '/foo-%24', false],
    ['/a$b', '/a$b', false],
    ['/abab', '/*ab$', false],
    ['/aba', '/ab*ba$', true],
    ['/axbc', '/a*bc*c$', true],
    ['/axbcc', '/a*bc*c$', false],
    ['/', '*$', false],
  ])('%s under disallow: %s is allowed: %s', (path, pattern, allowed) => {
    expect(allows(forAll(`disallow: ${pattern}`), path)).toBe(allowed);
  });

  it('agrees with a naive matcher', () => {
    const escape = (text: string) => text.replace(/[.?+^()|[\]{}\\]/g, '\\$&');
    const naive = (pattern: string, path: string) => {
      const toEnd = pattern.endsWith('$');
      const body = (toEnd ? pattern.slice(0, -1) : pattern).split('*').map(escape).join('.*');
      return new RegExp(`^${body.replaceAll('$', '\\$')}${toEnd ? '$' : ''}`, 's').test(path);
    };
    const pattern = fc.stringMatching(/^\/[ab/*$.]{0,12}$/);
    const path = fc.stringMatching(/^\/[ab/.]{0,16}$/);
    fc.assert(
      fc.property(pattern, path, (rule, text) => {
        // A dollar that is not at the end is a character, which none of these paths holds.
        expect(fits(compilePattern(rule), matchablePath(text))).toBe(naive(rule, text));
      }),
      { numRuns: 5000 },
    );
  });

  it('finds long pieces as a naive search does', () => {
    const piece = fc.stringMatching(/^[ab]{33,45}$/);
    fc.assert(
      fc.property(piece, fc.stringMatching(/^[ab]{0,60}$/), fc.boolean(), (text, around, inside) => {
        const path = `/${around}${inside ? text : ''}${around}`;
        expect(fits(compilePattern(`/*${text}`), matchablePath(path))).toBe(path.includes(text, 1));
      }),
    );
  });
});

// RFC 9309 section 2.2.4: other records must not interfere with the groups.
describe('section 2.2.4, other records', () => {
  it('a sitemap between two agents parts no group', () => {
    const file = 'user-agent: a\nsitemap: http://a.com/s.xml\nuser-agent: b\ndisallow: /';
    expect(['a', 'b'].map((agent) => allows(file, '/x', agent))).toEqual([false, false]);
    expect(parseRobots(file).sitemaps).toEqual(['http://a.com/s.xml']);
  });

  it.each([
    ['crawl-delay: 2.5', 2.5],
    ['crawl-delay: 5\ncrawl-delay: 10', 10],
    ['crawl-delay: -1', null],
    ['crawl-delay: soon', null],
    ['crawl-delay:', null],
    ['crawl-delay: 0', 0],
  ])('%j asks for %s seconds', (lines, seconds) => {
    expect(judge(parseRobots(forAll(lines)), ['x'], '/').crawlDelay).toBe(seconds);
  });
});

// RFC 9309 section 2.3.1: what the status of the answer means.
describe('section 2.3.1, the answer', () => {
  const shipped = { 'http.robots.403.allow': true, 'http.robots.503.defer.visits': true };
  it.each([
    [200, 'parse'],
    [204, 'parse'],
    [301, 'allow-all'],
    [401, 'allow-all'],
    [403, 'allow-all'],
    [404, 'allow-all'],
    [410, 'allow-all'],
    [429, 'defer'],
    [500, 'defer'],
    [503, 'defer'],
    [null, 'allow-all'],
  ])('%s means %s', (status, meaning) => {
    expect(robotsOfStatus(status, shipped)).toBe(meaning);
  });

  it('obeys http.robots.403.allow and http.robots.503.defer.visits', () => {
    const strict = { 'http.robots.403.allow': false, 'http.robots.503.defer.visits': false };
    expect([403, 404, 429, 503].map((status) => robotsOfStatus(status, strict))).toEqual([
      'deny-all',
      'allow-all',
      'allow-all',
      'allow-all',
    ]);
  });
});

/**
 * RFC 9309 read naively: octets one by one, `*` by trying every length. It shares nothing with the matcher but the standard.
 */
describe('a naive matcher', () => {
  /** A path as single octets in their one spelling; `star` and `end` where a pattern has them. */
  const octets = (text: string, isPattern: boolean): string[] => {
    const bytes =
      Buffer.from(text)
        .toString('latin1')
        .match(/%[\dA-Fa-f]{2}|[\s\S]/g) ?? [];
    let inQuery = false;
    return bytes.map((byte, at) => {
      if (isPattern && byte === '*') return 'star';
      if (isPattern && byte === '$' && at === bytes.length - 1) return 'end';
      const code = byte.length === 3 ? Number.parseInt(byte.slice(1), 16) : byte.charCodeAt(0);
      const char = String.fromCharCode(code);
      const isRaw = byte.length === 1;
      const stays = /[A-Za-z0-9\-._~]/.test(char) || (isRaw && /[!&'()+,/:;=?@#]/.test(char));
      const escaped = `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
      const spelt = stays || (inQuery && /[:/?@]/.test(char)) ? char : escaped;
      inQuery ||= spelt === '?';
      return spelt;
    });
  };
  const matches = (pattern: readonly string[], path: readonly string[]): boolean => {
    const [first, ...rest] = pattern;
    if (first === undefined) return true;
    if (first === 'end') return path.length === 0;
    if (first === 'star') return path.some((_, at) => matches(rest, path.slice(at))) || matches(rest, []);
    return path[0] === first && matches(rest, path.slice(1));
  };
  /** A pattern without a `?` has no query to be compared with: the escapes of the path stay as they are. */
  const pathFor = (pattern: string, path: string) =>
    octets(pattern.includes('?') ? path : path.replaceAll('?', '\u0001'), false).map((octet) =>
      octet === '%01' ? '?' : octet,
    );
  const naive = (pattern: string, path: string) => matches(octets(pattern, true), pathFor(pattern, path));

  const piece = fc.constantFrom(
    'a',
    'b',
    '/',
    '.',
    '*',
    '$',
    '%61',
    '%2F',
    '%2a',
    '%24',
    '%',
    'ä',
    '%C3%a4',
    '<',
    '%3c',
    '?',
    ':',
    '%3A',
    '&',
    '%26',
    ' ',
    '|',
  );
  const text = (max: number) => fc.array(piece, { maxLength: max }).map((pieces) => `/${pieces.join('')}`);

  it('agrees on one pattern', () => {
    fc.assert(
      fc.property(text(8), text(12), (pattern, path) => {
        expect(fits(compilePattern(Buffer.from(pattern).toString('latin1')), matchablePath(path))).toBe(
          naive(pattern, path),
        );
      }),
      { numRuns: 20_000 },
    );
  });

  it('agrees on which of several rules wins', () => {
    const rule = fc.record({ allow: fc.boolean(), pattern: text(5).filter((pattern) => !pattern.includes(' ')) });
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), text(8), (rules, path) => {
        const lines = rules.map(({ allow, pattern }) => `${allow ? 'allow' : 'disallow'}: ${pattern}`);
        const fitting = rules.filter(({ pattern }) => naive(pattern, path));
        const length = ({ pattern }: { pattern: string }) =>
          compilePattern(Buffer.from(pattern).toString('latin1')).length;
        const longest = Math.max(...fitting.map(length));
        const best = fitting.filter((one) => length(one) === longest);
        expect(allows(`user-agent: *\n${lines.join('\n')}`, path)).toBe(
          best.length === 0 || best.some(({ allow }) => allow),
        );
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('odd files', () => {
  it.each<[string, string | Buffer]>([
    ['CR only', 'user-agent: x\rdisallow: /p\r'],
    ['LF CR', 'user-agent: x\n\rdisallow: /p\n\r'],
    ['CR LF, LF and CR mixed', '#\r\nuser-agent: x\rdisallow: /p\n'],
    ['a NUL at the end of a line', 'user-agent: x\0\ndisallow: /p\0\n'],
    ['a byte order mark', '\ufeffuser-agent: x\ndisallow: /p'],
    ['half a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from('user-agent: x\ndisallow: /p')])],
    ['blanks around everything', ' \tuser-agent\t:\t x \n  Disallow  :  /p  \n'],
    ['no colons', 'user-agent x\ndisallow /p'],
    ['useragent', 'useragent: x\ndisallow: /p'],
    ['user agent', 'user agent: x\ndisallow: /p'],
    ['capitals', 'USER-AGENT: X\nDISALLOW: /p'],
    ['misspelt', 'user-agent: x\ndissallow: /p'],
    ['empty lines inside a group', 'user-agent: x\n\n\n\ndisallow: /p'],
    ['comments', 'user-agent: x # me\n# none\ndisallow: /p#q'],
    ['a version', 'user-agent: x/1.0\ndisallow: /p'],
    ['words behind the name', 'user-agent: x the bot\ndisallow: /p'],
    ['a star with words', 'user-agent: * all of you\ndisallow: /p'],
    ['an empty name beside ours', 'user-agent:\nuser-agent: x\ndisallow: /p'],
    ['HTML around it', '<html><pre>\nuser-agent: x\ndisallow: /p\n</pre>'],
    ['no line end', 'user-agent: x\ndisallow: /p'],
    ['unknown records between', 'user-agent: x\nnoindex: /\nhost: a.test\nrequest-rate: 1/5\ndisallow: /p'],
    ['a Crawl-delay between two names', 'user-agent: x\ncrawl-delay: 2\nuser-agent: y\ndisallow: /p'],
    ['bytes that are no UTF-8', Buffer.from('user-agent: x\ndisallow: /\xe4\ndisallow: /p', 'latin1')],
  ])('%s: forbids /p and nothing else', (_, file) => {
    const robots = parseRobots(file);
    expect(['/p', '/p/q', '/q'].map((path) => judge(robots, ['x'], path).allowed)).toEqual([false, false, true]);
  });

  it.each([
    ['a rule before any name', 'disallow: /p\nuser-agent: x\ndisallow: /q'],
    ['an empty name', 'user-agent:\ndisallow: /p'],
    ['a name that only begins like ours', 'user-agent: xy\ndisallow: /p'],
    ['a name that ours begins with, star and all', 'user-agent: *x\ndisallow: /p'],
    ['names in one line: the first counts', 'user-agent: y, x\ndisallow: /p'],
    ['an empty Disallow', 'user-agent: x\ndisallow:\n\nuser-agent: *\ndisallow: /p'],
    ['three words without a colon', 'user-agent: x\ndisallow /p now'],
    ['a path without a slash', 'user-agent: x\ndisallow: p'],
    ['an empty file', ''],
    ['only a mark', '\ufeff'],
  ])('%s: allows /p', (_, file) => {
    expect(allows(file, '/p', 'x')).toBe(true);
  });

  it('a very long line is cut, the next one counts', () => {
    const long = `/x${'y'.repeat(2083 * 8)}`;
    const file = `user-agent: *\ndisallow: ${long}/end\ndisallow: /p`;
    expect([allows(file, long), allows(file, '/p')]).toEqual([false, false]);
  });
});

describe('the line that decided', () => {
  it('is reported with its number and text, line ends of any kind counted once', () => {
    const robots = parseRobots('\ufeffUser-agent: *\r\n\rDisallow: /a # not this\nAllow: /ü');
    expect(judge(robots, ['x'], '/a/b').line).toEqual({ number: 3, text: 'Disallow: /a # not this' });
    expect(judge(robots, ['x'], '/ü').line).toEqual({ number: 4, text: 'Allow: /ü' });
    expect(judge(robots, ['x'], '/c').line).toBe(null);
  });
});

// RFC 9309 section 2.5: at least 500 KiB are read. What is longer is cut, and half a line is no rule.
describe('hostile files', () => {
  it('drops the line at the cut', () => {
    const file = `user-agent: *\n${'#'.repeat(MAX_ROBOTS_BYTES - 14 - 12)}\ndisallow: /x/private`;
    expect(file.slice(0, MAX_ROBOTS_BYTES)).toMatch(/\ndisallow: \/$/);
    expect(allows(file, '/y')).toBe(true);
  });

  it('keeps the rules of many agents once', () => {
    const file = `${'User-agent: a\nUser-agent: b\n'.repeat(8000)}${'Crawl-delay: 1\nAllow: /\n'.repeat(10_000)}`;
    expect(judge(parseRobots(file), ['a', 'b'], '/x')).toMatchObject({ allowed: true, crawlDelay: 1 });
  });

  it('keeps a rule once however often a group repeats it, under the line that came first', () => {
    const robots = parseRobots(`user-agent: *\n${'disallow: /a\nallow: /b\nallow: /b\n'.repeat(10_000)}`);
    expect(robots.agents.get('*')?.[0]?.group.rules).toHaveLength(2);
    expect(judge(robots, ['x'], '/a').line?.number).toBe(2);
    expect(judge(robots, ['x'], '/b').line?.number).toBe(3);
  });

  it('opens the escapes of a query once for all rules', () => {
    const rules = Array.from({ length: 5000 }, (_, i) => `disallow: /?${i}z`).join('\n');
    const opened = vi.spyOn(globalThis, 'decodeURIComponent');
    try {
      expect(allows(forAll(rules), `/?${'%2F'.repeat(600)}`)).toBe(true);
      expect(opened.mock.calls.length).toBeLessThanOrEqual(600);
    } finally {
      opened.mockRestore();
    }
  });

  it('matches a star bomb without going back', () => {
    expect(allows(forAll(`disallow: /${'*a'.repeat(8000)}b`), `/${'a'.repeat(4000)}`)).toBe(true);
    expect(allows(forAll(`disallow: /*${`${'a'.repeat(1900)}b`.repeat(2)}`), `/${'a'.repeat(4000)}`)).toBe(true);
  });

  it('reads any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, path) => {
        expect(judge(parseRobots(bytes), ['x'], path).allowed).toBeTypeOf('boolean');
      }),
    );
  });
});
