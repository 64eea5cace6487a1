import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileAutomatonFilter, shippedAutomatonRules } from '../../../src/core/url/filter-automaton.js';
import { compileDomainDenyFilter, compileDomainFilter } from '../../../src/core/url/filter-domain.js';
import { compileFastFilter, type FastLimits } from '../../../src/core/url/filter-fast.js';
import { compilePrefixFilter } from '../../../src/core/url/filter-prefix.js';
import { compileRegexFilter } from '../../../src/core/url/filter-regex.js';
import type { FilterUrl } from '../../../src/core/url/url-filter.js';
import { compileSuffixFilter } from '../../../src/core/url/filter-suffix.js';
import { makeValidator } from '../../../src/core/url/filter-validator.js';
import { unicodeText } from '../../support/unicode-text.js';

const limits = (url: number, path = -1, query = -1): FastLimits => ({
  'urlfilter.fast.url.max.length': url,
  'urlfilter.fast.url.path.max.length': path,
  'urlfilter.fast.url.query.max.length': query,
});
const fastRules = [
  'Host www.a.com # the shop',
  '  DenyPath ^/cart',
  '  DenyPathQuery [?&]sort=',
  'Domain a.com',
  '  DenyPath /private/',
  'Domain com',
  '  DenyPath ^/com-only$',
  'Domain .',
  '  DenyPath .*\\.bak$',
  'Host bücher.de',
  '  DenyPath .*',
].join('\n');

const filters: Record<string, FilterUrl> = {
  regex: compileRegexFilter(''),
  'regex with blocks': compileRegexFilter('> a.com\n-x\n<\n+.'),
  automaton: compileAutomatonFilter(''),
  prefix: compilePrefixFilter('http://a\nhttp://b\n'),
  suffix: compileSuffixFilter(''),
  domain: compileDomainFilter('a.com\nde'),
  domaindenylist: compileDomainDenyFilter('a.com\nde'),
  fast: compileFastFilter(fastRules, limits(-1)),
  validator: makeValidator(8),
};

describe('any URL filter', () => {
  const nasty = fc.stringMatching(/^[a-zA-Z0-9%./?#@:\\[\] ü&=;~^{|!+-]{0,40}$/);
  const anyText = fc.oneof(
    fc.webUrl({ withQueryParameters: true }),
    nasty,
    nasty.map((text) => `http://${text}`),
    unicodeText(),
  );

  it.each(Object.keys(filters))('%s never throws', (name) => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(typeof filters[name]!(text).accepted).toBe('boolean');
      }),
      { numRuns: 1000 },
    );
  });

  it.each(Object.keys(filters))('%s completes on a hostile megabyte', (name) => {
    for (const unit of ['a', '.', '/', '/a', '/..', '?', '@', ':', 'a.', '-', '%', ' ', 'ü', '/a/b', 'a@']) {
      const many = unit.repeat(1_000_000 / unit.length);
      for (const url of [many, `http://${many}`, `http://a.com/${many}`, `http://a.com/?${many}`]) filters[name]!(url);
    }
  });
});

describe('rules of urlfilter-prefix', () => {
  it('accept by the shortest matching prefix and report its rule', () => {
    const filter = compilePrefixFilter('# ours\nhttp://a.com/x\n\nhttp://a.com/\nhttp://b');
    expect(filter('http://a.com/x/y')).toEqual({ accepted: true, rule: { number: 2, text: 'http://a.com/' } });
    expect(filter('http://b.org/')).toEqual({ accepted: true, rule: { number: 3, text: 'http://b' } });
    expect(filter('http://a.org/')).toEqual({ accepted: false, rule: null });
  });

  it('agree with startsWith for each prefix', () => {
    const short = fc.stringMatching(/^[ab\u0080\uffff]{1,4}$/);
    fc.assert(
      fc.property(
        fc.array(short, { minLength: 1, maxLength: 12 }),
        fc.stringMatching(/^[abc\u0080\uffff]{0,6}$/),
        (prefixes, url) => {
          const expected = prefixes.some((prefix) => url.startsWith(prefix));
          expect(compilePrefixFilter(prefixes.join('\n'))(url).accepted).toBe(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['prefixes', compilePrefixFilter, (n: number) => `http://site${n}.test/`],
    ['domains', compileDomainFilter, (n: number) => `site${n}.test`],
    ['denied domains', compileDomainDenyFilter, (n: number) => `site${n}.test`],
  ] as const)('may be 100,000 %s and no more', (_, compile, lineOf) => {
    const lines = Array.from({ length: 100_000 }, (_line, n) => lineOf(n));
    const filter = compile(lines.join('\n'));
    expect(filter('http://site99999.test/').rule).toEqual({ number: 100_000, text: lineOf(99_999) });
    expect(() => compile([...lines, lineOf(100_000)].join('\n'))).toThrow('rule 100001: more than 100000');
  });
});

describe('rules of urlfilter-automaton', () => {
  it.each([
    ['+http://a', 'http://a/', false],
    ['+http://a.*', 'http://a/', true],
    ['+.*\\.html', 'http://a/x.html', true],
    ['+.*\\.html', 'http://a/xhtml', false],
    // Special characters of dk.brics.automaton.
    ['+"http://a.b/"', 'http://a.b/', true],
    ['+"http://a.b/"', 'http://aXb/', false],
    ['+http@', 'http://a/', true],
    ['+http://a/\\@', 'http://a/@', true],
    ['+http://a/^$', 'http://a/^$', true],
    ['+http://a/\\&\\~\\#\\<\\>\\"', 'http://a/&~#<>"', true],
    ['+http://[a-c]{2,3}/', 'http://abc/', true],
    ['+http://[^[a]/', 'http://b/', true],
    ['+http://[^[a]/', 'http://[/', false],
    ['+(http|https)://\\d+/', 'https://12/', true],
    ['+a(b|())c', 'ac', true],
    ['+.*', 'line\nline', true],
  ])('%s: %j is accepted: %s', (rule, url, accepted) => {
    expect(compileAutomatonFilter(rule)(url).accepted).toBe(accepted);
  });

  it.each([
    ['+a&b', 'rule 1, position 3: the operator & is not supported; write \\& for the character'],
    ['+a\n-x~y', 'rule 2, position 3: the operator ~ is not supported'],
    ['+<1-9>', 'rule 1, position 2: the operator < is not supported'],
    ['+(?i)a', 'rule 1, position 2: (? is nothing that an automaton knows'],
    ['+(a)\\1', 'rule 1, position 5: back-reference \\1 cannot run in linear time'],
    ['+"a', 'rule 1, position 2: the quotation mark is not closed'],
    ['+a[b', 'rule 1, position 3: the class of characters is not closed'],
    ['+a\\', 'rule 1, position 3: nothing follows the backslash'],
    ['+"a"*)(b', 'rule 1'],
    ['*a', 'rule 1, position 1: a rule starts with + or -'],
  ])('%j is refused: %s', (rules, message) => {
    expect(() => compileAutomatonFilter(rules)).toThrow(message);
  });

  it('as shipped decide like those of urlfilter-regex, except for traps', () => {
    const shipped = compileAutomatonFilter(shippedAutomatonRules);
    const urls = [
      'http://a.com/',
      'ftp://a.com/',
      'http://a.com/x.gif',
      'http://a.com/?x',
      'http://a.com/x.html',
      'mailto:a@b',
    ];
    expect(urls.map((url) => shipped(url).accepted)).toEqual(urls.map((url) => compileRegexFilter('')(url).accepted));
  });
});

describe('rules of urlfilter-fast', () => {
  it.each([
    ['http://www.a.com/cart/1', 2],
    ['http://www.a.com/x?sort=1', 3],
    ['http://www.a.com/?cart', undefined],
    ['http://x.a.com/private/', 5],
    ['http://x.a.com/cart', undefined],
    ['http://b.com/com-only', 7],
    ['http://b.org/com-only', undefined],
    ['http://b.org/x.bak', 9],
    ['http://b.org/x?x.bak', undefined],
    ['http://xn--bcher-kva.de/', 11],
    ['http://bücher.de/', 11],
    ['no url', undefined],
  ])('%s is dropped by line %s', (url, number) => {
    const { accepted, rule } = filters['fast']!(url);
    expect([accepted, rule?.number]).toEqual([number === undefined && url !== 'no url', number]);
  });

  it('are applied in the order host, whole name as a domain, wider domains, all', () => {
    const rules = ['.', 'com', 'a.com', 'www.a.com'].map((name) => `Domain ${name}\nDenyPath x`);
    const filter = compileFastFilter([...rules, 'Host www.a.com\nDenyPath x'].join('\n'), limits(-1));
    expect(filter('http://www.a.com/x').rule?.number).toBe(10);
    expect(filter('http://y.www.a.com/x').rule?.number).toBe(8);
  });

  it('report a length limit as a rule without a number', () => {
    const refused = compileFastFilter('', limits(-1, 5))('http://a.com/123456');
    expect(refused).toEqual({ accepted: false, rule: { number: 0, text: 'urlfilter.fast.url.path.max.length=5' } });
  });

  it('may have 100,000 lines for 50,000 hosts', () => {
    const rules = Array.from({ length: 50_000 }, (_, n) => `Host h${n}.test\nDenyPath ^/(?:a|b)${n % 100}`).join('\n');
    const filter = compileFastFilter(rules, limits(-1));
    expect(filter('http://h49999.test/a99').rule?.number).toBe(100_000);
  });

  it.each([
    ['DenyPath x', 'rule 1, position 1: no Host or Domain precedes it'],
    ['Host a.com\nAllowPath x', 'rule 2, position 1: a line starts with Host, Domain'],
    ['Host a.com\n  DenyPath (a)\\1', 'rule 2, position 13: back-reference \\1 cannot run in linear time'],
    ['Host a.com\nDenyPath', 'rule 2: an expression is missing'],
    ['Host a b', '"a b" is no name of a host'],
    ['Host', '"" is no name of a host'],
  ])('%j is refused: %s', (rules, message) => {
    expect(() => compileFastFilter(rules, limits(-1))).toThrow(message);
  });
});

describe('urlfilter-validator', () => {
  it('reports the reason as the text of a rule', () => {
    const why = (url: string) => makeValidator(8)(url).rule?.text;
    expect(why('http://a.com/ä')).toBe('only visible ASCII characters');
    expect(why('http://local/')).toBe('a host has two labels or more');
    expect(why('http://a.photography/')).toBe('urlfilter.tld.length=8');
    expect(why('http://a.com/x')).toBe(undefined);
    expect(why('http://a.com/x/..')).toBe('a path does not climb above its root');
    expect(why('http://a.com/x/y/..')).toBe(undefined);
  });
});

describe('rules of urlfilter-domaindenylist', () => {
  it('drop listed domains and report the rule; without rules nothing is dropped', () => {
    const filter = compileDomainDenyFilter('# bad\nexample.org # all of it\nevil');
    expect(filter('http://www.example.org/')).toEqual({ accepted: false, rule: { number: 1, text: 'example.org' } });
    expect(filter('http://example.com/')).toEqual({ accepted: true, rule: null });
    expect(compileDomainDenyFilter('')('no url').accepted).toBe(true);
  });
});
