import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, fits, matchablePath } from '../../../src/core/robots/path-pattern.js';
import { parseRobots } from '../../../src/core/robots/robots-file.js';
import { robotsOfStatus } from '../../../src/core/robots/robots-status.js';
import { judge, onlyFor } from '../../../src/core/robots/robots-verdict.js';
import { weightOf } from '../../../src/core/robots/robots-weight.js';

const allows = (file: string, path: string, agent = 'orbweaver') => judge(parseRobots(file), [agent], path).allowed;
const forAll = (rules: string) => `user-agent: *\n${rules}`;

// Agents are compared without regard to case, groups of one agent are merged, `*` is for the rest.
describe('RFC 9309 §2.2.1, the user-agent line', () => {
  const file =
    'user-agent: ORBweaver/2.0\ndisallow: /a\n\nuser-agent: *\ndisallow: /\n\nuser-agent: orbweaver\ndisallow: /b';
  it.each([
    ['orbweaver', '/a', false],
    ['Orbweaver', '/b', false],
    ['orbweaver/1.0', '/c', true],
    ['other', '/c', false],
    // A name is matched as a whole, not as a prefix.
    ['orb', '/c', false],
  ])('%s may fetch %s: %s', (agent, path, allowed) => {
    expect(allows(file, path, agent)).toBe(allowed);
  });

  it('applies the groups of all our product tokens', () => {
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
  ])('applies to %j the groups of %j', (names, expected) => {
    const robots = parseRobots('user-agent: a\nuser-agent: b\ndisallow: /\n\nuser-agent: *\ndisallow: /');
    expect(judge(robots, names, '/').agents).toEqual(expected);
    expect(judge(parseRobots('user-agent: d\ndisallow: /'), names, '/').agents).toEqual([]);
  });

  it.each([
    ['our product tokens', ['b', 'a/1.0'], 'user-agent: a\nuser-agent: b\ncrawl-delay: 2\ndisallow: /'],
    ['a product token without a group', ['c'], 'user-agent: *\ndisallow: /'],
  ])('gives the same verdict in less memory without the groups of others (%s)', (_what, names, ours) => {
    const others = Array.from({ length: 20 }, (_, i) => `user-agent: other${i}\ndisallow: /${i}`).join('\n');
    const whole = parseRobots(`${ours}\n\n${others}`);
    const part = onlyFor(names, whole);
    for (const path of ['/', '/1']) expect(judge(part, names, path)).toEqual(judge(whole, names, path));
    expect(judge(part, names, '/').allowed).toBe(false);
    expect([...part.agents.keys()].some((name) => name.startsWith('other'))).toBe(false);
    expect(weightOf(part)).toBeLessThan(weightOf(whole) / 4);
  });

  it('allows everything to an agent whose group has no rules', () => {
    expect(allows('user-agent: orbweaver\ndisallow:\n\nuser-agent: *\ndisallow: /', '/x')).toBe(true);
  });
});

// The longest match wins; of equals, allow wins; octets are compared after percent-encoding.
describe('RFC 9309 §2.2.2, allow and disallow', () => {
  it.each([
    ['/page', 'allow: /p\ndisallow: /', true],
    ['/page', 'disallow: /page\nallow: /page', true],
    ['/folder/page', 'allow: /folder\ndisallow: /folder/p', false],
    ['/foo/bar/%E3%83%84', 'disallow: /foo/bar/ツ', false],
    ['/foo/bar/ツ', 'disallow: /foo/bar/%e3%83%84', false],
    ['/foo/bar/baz', 'disallow: /foo/bar/%62%61%7A', false],
    ['/foo/bar/%62%61%7A', 'disallow: /foo/bar/baz', false],
    ['/a%2Fb', 'disallow: /a/b', true],
    // The examples of the section.
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

// `*` stands for any octets, `$` for the end; %2A and %24 are the characters themselves.
describe('RFC 9309 §2.2.3, special characters', () => {
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

  it.each([
    'http://a.test/open/../private/x',
    'http://a.test/open/%2E%2e/private/x',
    'http://a.test/./private/x',
    'http://a.test/open\\..\\private\\x',
    'http://a.test\\private/x',
  ])('are compared with the path that is requested for %s', (url) => {
    expect(allows(forAll('disallow: /private/'), url)).toBe(false);
    expect(allows(forAll('disallow: /open'), url)).toBe(true);
  });

  it('match as an equivalent regular expression does', () => {
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
        // A dollar that is not at the end is a character, which none of these paths contains.
        expect(fits(compilePattern(rule), matchablePath(text))).toBe(naive(rule, text));
      }),
      { numRuns: 5000 },
    );
  });

  it('match a long literal after a star as String.includes does', () => {
    const piece = fc.stringMatching(/^[ab]{33,45}$/);
    fc.assert(
      fc.property(piece, fc.stringMatching(/^[ab]{0,60}$/), fc.boolean(), (text, around, inside) => {
        const path = `/${around}${inside ? text : ''}${around}`;
        expect(fits(compilePattern(`/*${text}`), matchablePath(path))).toBe(path.includes(text, 1));
      }),
    );
  });
});

// Other records must not interfere with the groups.
describe('RFC 9309 §2.2.4, other records', () => {
  it('a Sitemap line between two user-agent lines does not split the group', () => {
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
    ['crawl-delay: 10.0000000001', 10.000_000_000_1],
    ['crawl-delay: 99999999999', 999_999_999],
    [`crawl-delay: ${'9'.repeat(400)}`, 999_999_999],
  ])('%j is a Crawl-delay of %s seconds', (lines, seconds) => {
    expect(judge(parseRobots(forAll(lines)), ['x'], '/').crawlDelay).toBe(seconds);
  });
});

describe('RFC 9309 §2.3.1, access results', () => {
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
  ])('status %s means %s', (status, meaning) => {
    expect(robotsOfStatus(status, shipped)).toBe(meaning);
  });

  it('respects http.robots.403.allow and http.robots.503.defer.visits', () => {
    const strict = { 'http.robots.403.allow': false, 'http.robots.503.defer.visits': false };
    expect([403, 404, 429, 503].map((status) => robotsOfStatus(status, strict))).toEqual([
      'deny-all',
      'allow-all',
      'allow-all',
      'allow-all',
    ]);
  });
});
