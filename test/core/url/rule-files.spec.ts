import { describe, expect, it } from 'vitest';
import { compileDomainFilter } from '../../../src/core/url/filter-domain.js';
import { compileRegexFilter, shippedRegexRules } from '../../../src/core/url/filter-regex.js';
import { compileSuffixFilter } from '../../../src/core/url/filter-suffix.js';
import { compileRewrites, normalizeRegex } from '../../../src/core/url/normalize-regex.js';
import { readRegexNormalizeXml } from '../../../src/core/url/regex-normalize-xml.js';

describe('rules of urlfilter-regex', () => {
  it('report the rule that decided, not counting comments and blocks', () => {
    const filter = compileRegexFilter('# first\n\n+good\n> example.org\n-skip\n<\n-.');
    expect(filter('http://a.com/good')).toEqual({ accepted: true, rule: { number: 1, text: '+good' } });
    expect(filter('http://www.example.org/skip').rule).toEqual({ number: 2, text: '-skip' });
    expect(filter('http://a.com/skip').rule).toEqual({ number: 3, text: '-.' });
  });

  it.each([
    ['> bücher.de', 'http://xn--bcher-kva.de/skip'],
    ['> BÜCHER.de', 'http://www.xn--bcher-kva.de/skip'],
    ['> xn--bcher-kva.de', 'http://bücher.de/skip'],
    ['> bücher.de', 'http://bücher.de/skip'],
  ])('of the block %s apply to %s', (block, url) => {
    const filter = compileRegexFilter(`${block}\n-skip\n<\n+.`);
    expect(filter(url).accepted).toBe(false);
    expect(filter('http://www.xn--9ca.de/skip').accepted).toBe(true);
  });

  it('reject a URL that no rule matches', () => {
    expect(compileRegexFilter('+x')('http://a.com/')).toEqual({ accepted: false, rule: null });
  });

  it('accept lines that end in CRLF', () => {
    expect(compileRegexFilter('-a$\r\n+.\r\n')('http://b/a').accepted).toBe(false);
  });

  it.each([
    ['ftp://a.com/', 1],
    ['http://a.com/x.GIF', 2],
    ['http://a.com/x.jpeg', 2],
    ['http://a.com/x.jpegs', 5],
    ['http://a.com/gif', 5],
    ['http://a.com/x!', 3],
    ['http://a.com/x@y', 3],
    ['http://a.com/x/y/x/y/x/', 4],
  ])('as shipped: %s is decided by rule %i, natively and by the linear engine alike', (url, number) => {
    expect(compileRegexFilter(shippedRegexRules)(url).rule?.number).toBe(number);
    // The same rules in a spelling that has no native test; the fourth cannot run there.
    const spelled = shippedRegexRules
      .split('\n')
      .map((rule, i) => (i === 3 ? '-never' : `${rule[0]}(?:${rule.slice(1)})`));
    if (number !== 4) expect(compileRegexFilter(spelled.join('\n'))(url).rule?.number).toBe(number);
  });
});

describe('rules of urlfilter-suffix', () => {
  it.each([
    ['+I\n.GIF', 'http://a.com/x.gif', false],
    ['+I\n.gif', 'http://a.com/x.GIF', false],
    ['+\n.GIF', 'http://a.com/x.gif', true],
  ])('%j compare letter case unless it is ignored (%s is accepted: %s)', (rules, url, accepted) => {
    expect(compileSuffixFilter(rules)(url).accepted).toBe(accepted);
  });

  it.each([
    ['http://a.com/x.ZIP?y', '.zip'],
    ['http://a.com/x.html', null],
    ['http://a.com/', null],
  ])('as shipped find in %s the suffix %s', (url, suffix) => {
    const { accepted, rule } = compileSuffixFilter('')(url);
    expect([accepted, rule?.text ?? null]).toEqual([suffix === null, suffix]);
  });

  it('reject a text without a path when they apply to the path', () => {
    expect(compileSuffixFilter('+P\n.gif')('no url').accepted).toBe(false);
  });
});

describe('rules of urlfilter-domain', () => {
  const filter = compileDomainFilter('# ours\nexample.org # main\nBÜCHER.de\ngithub.io\nuk.com\n192.0.2.1');
  it.each([
    ['http://www.example.org/', 'example.org'],
    ['http://xn--bcher-kva.de/', 'bücher.de'],
    ['http://bücher.de/', 'bücher.de'],
    // Private suffixes count beside public ones.
    ['http://someone.github.io/', 'github.io'],
    ['http://www.example.uk.com/', 'uk.com'],
    ['http://192.0.2.1/', '192.0.2.1'],
    ['http://example.com/', null],
    ['no url', null],
  ])('%s is listed as %s', (url, name) => {
    const { accepted, rule } = filter(url);
    expect([accepted, rule?.text ?? null]).toEqual([name !== null, name]);
  });
});

describe('rules of urlnormalizer-regex', () => {
  it('are lines of expression, TAB and substitution', () => {
    const rewrites = compileRewrites('# comment\n\n^http:\thttps:\n#.*\t\n(a)(b)\t$2$1');
    expect(normalizeRegex('http://x.com/ab#cd', rewrites)).toBe('https://x.com/ba');
  });

  it('drop a URL that would grow without bound', () => {
    const doubling = compileRewrites(Array.from({ length: 100 }, () => 'x\txx').join('\n'));
    expect(normalizeRegex('http://a.com/x', doubling)).toBe(null);
  });

  it('have substitutions of at most 1,000 characters, in lines and in XML', () => {
    const lines = (length: number) => `a\tb\nx\t${'y'.repeat(length)}`;
    expect(normalizeRegex('http://x.test/', compileRewrites(lines(1_000)))).toHaveLength(
      'http://.test/'.length + 1_000,
    );
    expect(() => compileRewrites(lines(1_001))).toThrow('rule 2, position 1002: longer than 1000 characters');
    const xml = `<regex-normalize><regex><pattern>x</pattern><substitution>${'y'.repeat(1_001)}</substitution></regex></regex-normalize>`;
    expect(() => compileRewrites(xml)).toThrow('rule 1, position 1002: longer than 1000 characters');
  });
});

describe('regex-normalize.xml', () => {
  const wrap = (inner: string) => `<regex-normalize>${inner}</regex-normalize>`;

  it('may contain the five entities, comments and empty substitutions', () => {
    const xml = `<?xml version="1.0"?>\n<!-- <regex> -->${wrap(
      ` <regex>\n<pattern>a&amp;b&lt;&gt;&quot;&apos;</pattern> <substitution></substitution></regex>
        <regex><pattern>c</pattern><substitution/></regex>`,
    )}`;
    expect(readRegexNormalizeXml(xml)).toEqual([
      { pattern: `a&b<>"'`, substitution: '' },
      { pattern: 'c', substitution: '' },
    ]);
  });

  const pair = '<pattern>a</pattern><substitution>b</substitution>';
  it.each([
    ['<!DOCTYPE x [<!ENTITY e "x">]><regex-normalize/>', 'expected <regex-normalize>'],
    [wrap(`<regex>${pair.replace('>a<', '>&e;<')}</regex>`), 'unknown entity &e;'],
    [wrap(`<regex>${pair.replace('>a<', '>&#65;<')}</regex>`), 'unknown entity &#65;'],
    [wrap(`<regex>${pair.replace('>a<', '>a & b<')}</regex>`), 'unknown entity'],
    [wrap('<regex><pattern>a</pattern></regex>'), 'expected <substitution>'],
    [wrap(`<regex>${pair}${pair}</regex>`), 'expected </regex>'],
    [wrap(`<regex id="1">${pair}</regex>`), 'expected <regex>'],
    [wrap('<regex><pattern><b>a</b></pattern></regex>'), 'no tags allowed in <pattern>'],
    [`${wrap('')}<more/>`, 'text after the closing tag'],
    ['<regex-normalize>', 'expected <regex>'],
    [wrap(`<regex>${pair}</regex>`.repeat(1001)), 'rule 1001: XML: more than 1000 rules'],
  ])('%.80s is refused: %s', (xml, reason) => {
    expect(() => readRegexNormalizeXml(xml)).toThrow(reason);
  });
});
