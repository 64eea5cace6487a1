import type { Admission } from '../../src/core/url/url-rules.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unreverseUrl } from '../../src/core/url/row-key.js';
import { defaults, parseConf, type Params } from '../../src/core/conf/properties.js';
import { explainUrl } from '../../src/core/url/explain-url.js';
import { RulesRefused } from '../../src/plugin/extension-points.js';
import { checkUrlRules, makeUrlRules } from '../../src/plugin/url-rules.js';
import { longHost } from '../support/incompressible.js';

const confOf = (params: Params) => ({ ...parseConf(params).conf, ...parseConf(params).extra });
const rulesOf = (params: Params = {}) => makeUrlRules(confOf(params));
const both = { normalize: true, filter: true };
const admit = (url: string, params: Params = {}, scope = 'outlink'): Admission =>
  rulesOf(params).admit(url, scope, both);

describe('admission with the shipped rules', () => {
  it.each([
    ['http://Example.COM', 'http://example.com/', 'com.example:http/'],
    ['https://www.example.com:443/a/../b#top', 'https://www.example.com/b', 'com.example.www:https/b'],
    ['http://example.com:8983/to', 'http://example.com:8983/to', 'com.example:http:8983/to'],
    ['http://bücher.de/', 'http://xn--bcher-kva.de/', 'de.xn--bcher-kva:http/'],
    ['http://[2001:DB8::1]/', 'http://[2001:db8::1]/', '[2001-db8--1]:http/'],
    ['http://0x7f.1/', 'http://127.0.0.1/', '127.0.0.1:http/'],
    ['http://a.com/x;jsessionid=1E6F', 'http://a.com/x', 'com.a:http/x'],
    ['http://A.com.:8080/x', 'http://a.com:8080/x', 'com.a:http:8080/x'],
  ])('%s is stored as %s under %s', (given, url, key) => {
    expect(admit(given)).toEqual({ url, key });
  });

  it.each([
    ['mailto:a@b.com', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['ftp://a.com/x', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['no url', 'malformed'],
    ['', 'malformed'],
    ['http://', 'malformed'],
    ['http:///path', 'malformed'],
    ['http://a b.com/', 'malformed'],
    ['http://a.com:99999/', 'malformed'],
    ['http://1.2.3.999/', 'malformed'],
    [`http://a.com/${'x'.repeat(1990)}`, 'length'],
    [`http://a.com/${'ü'.repeat(400)}`, 'length'],
  ])('%s is refused: %s', (url, rejected) => {
    expect(admit(url)).toEqual({ rejected });
  });

  it.each([
    ['ftp://me:secret@Example.COM:21/a/../b%7e', 'ftp://example.com/b~', 'com.example:ftp/b~'],
    ['ftp://example.com:2121', 'ftp://example.com:2121/', 'com.example:ftp:2121/'],
    ['file:/data/a b', 'file:///data/a%20b', ':file/data/a%20b'],
    ['file:////data/../etc//x', 'file:///etc/x', ':file/etc/x'],
    ['ftp://example.com/a%0d%0aDELE%20b', 'malformed', ''],
    ['ftp:///a', 'malformed', ''],
    ['file:///a%00', 'malformed', ''],
    ['file:data', 'file:///data', ':file/data'],
    // As in Nutch, the shipped rules of urlnormalizer-regex read a host as a directory.
    ['file://server/share', 'file:///server/share', ':file/server/share'],
    ['sftp://example.com/', 'scheme', ''],
  ])('with protocol-ftp and protocol-file, %s is stored as %s', (given, url, key) => {
    const params = {
      'plugin.includes': 'protocol-(http|ftp|file)|urlnormalizer-(basic|regex)',
      'file.crawl.roots': '/data',
    };
    expect(admit(given, params)).toEqual(key === '' ? { rejected: url } : { url, key });
    if (key !== '') expect(unreverseUrl(key)).toBe(url);
  });

  it.each([
    ['file://localhost/data/', { url: 'file:///data/', key: ':file/data/' }],
    ['file://server/share', { rejected: 'malformed' }],
    ['file:data', { rejected: 'malformed' }],
  ])('without normalizers, %s is %j', (given, admission) => {
    const params = { 'plugin.includes': 'protocol-file', 'file.crawl.roots': '/data' };
    expect(admit(given, params)).toEqual(admission);
  });

  it('judges both forms of a file URL: that of the normalizers, and the stored one', () => {
    const filtered = (rules: string) =>
      admit('file:///data/a', {
        'plugin.includes': 'protocol-file|urlfilter-regex|urlnormalizer-(basic|regex)',
        'file.crawl.roots': '/data',
        'urlfilter.regex.rules': rules,
      });
    expect(filtered('+^file:/+data/')).toHaveProperty('url');
    for (const rules of ['-^file:///\n+.', '-^file:/data\n+.', '+^file:///'])
      expect(filtered(rules)).toHaveProperty('rejected', 'filter');
  });

  it('keeps a key of exactly 2,000 bytes', () => {
    const url = `http://a.com/${'x'.repeat(1988)}`;
    const withoutTraps = { 'plugin.excludes': 'urlfilter-trap' };
    expect(admit(url, withoutTraps)).toEqual({ url, key: `com.a:http/${'x'.repeat(1988)}` });
    expect(admit(`${url}xx`, withoutTraps)).toEqual({ rejected: 'length' });
  });

  it.each([
    [253, 'http', '', true],
    [253, 'https', ':8443', true],
    [254, 'http', '', false],
    [254, 'https', ':8443', false],
    [1_500, 'http', '', false],
  ])('a host of %i characters (%s, port %j) is valid as in DNS: %s', (length, scheme, port, isHost) => {
    const url = `${scheme}://${longHost(28).slice(-length)}${port}/${'x'.repeat(100)}`;
    expect(admit(url)).toEqual(isHost ? { url, key: expect.any(String) } : { rejected: 'malformed' });
  });

  it('measures the length of a host in bytes, as in the row key', () => {
    const host = (labels: number) => `${Array.from({ length: labels }, () => 'ü'.repeat(30)).join('.')}.de`;
    const asWritten = { 'urlnormalizer.basic.host.idn': 'toUnicode' };
    expect('url' in admit(`http://${host(4)}/`, asWritten)).toBe(true);
    expect(admit(`http://${host(5)}/`, asWritten)).toEqual({ rejected: 'malformed' });
  });

  it.each([
    ['http://a.com/x.gif', 2],
    ['http://a.com/x?y=1', 3],
    ['http://a.com/x/y/x/z/x/', 4],
  ])('%s is refused by rule %i of urlfilter-regex', (url, number) => {
    expect(admit(url)).toMatchObject({ rejected: 'filter', plugin: 'urlfilter-regex', rule: { number } });
  });

  it('escapes NUL, and replaces lone surrogates by U+FFFD, when normalizing', () => {
    expect(admit('http://a.com/\0x')).toEqual({ url: 'http://a.com/%00x', key: 'com.a:http/%00x' });
    expect(admit('http://a.com/\ud800x')).toEqual({ url: 'http://a.com/%EF%BF%BDx', key: 'com.a:http/%EF%BF%BDx' });
  });
});

describe('admission without normalizers and filters', () => {
  const neither = (url: string) => rulesOf().admit(url, 'inject', { normalize: false, filter: false });

  it.each([
    ['http://a.com', 'http://a.com/'],
    ['http://a.com?x=1#top', 'http://a.com/?x=1'],
    ['http://user:word@a.com/x', 'http://a.com/x'],
    ['HTTP://A.com/%7ex//y', 'http://a.com/%7ex//y'],
    ['http://a.com\\@b.com/', null],
    ['http://a.com/\0', null],
    ['http://a.com/\ud800', null],
    ['http://a\tb.com/', null],
    ['http://a%2eb.com/', null],
    ['http://a.com./x', 'http://a.com/x'],
    ['http://1.2.3.4./x', 'http://1.2.3.4/x'],
    ['http://a.com../x', null],
    ['http://a.com\u3002/x', 'http://a.com/x'],
    ['http://a.com\uff0e:8080/x', 'http://a.com:8080/x'],
    ['http://a.com\uff61/x', 'http://a.com/x'],
    ['http://1.2.3.4\u3002/x', 'http://1.2.3.4/x'],
    ['http://a.com\u3002\uff0e/x', null],
    ['http://a.com.\u3002/x', null],
    ['http://\u3002/x', null],
    ['http://./x', null],
    ['http://[::1]./x', null],
  ])('%j is stored as %j', (given, url) => {
    const admission = neither(given);
    expect('url' in admission ? admission.url : null).toBe(url);
  });
});

describe('any URL that is admitted', () => {
  it('is restored from its row key, byte for byte', () => {
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
      fc.stringMatching(/^[a-c0-2xé.%_~-]{1,12}$/),
      fc.stringMatching(/^(?:0x)?[0-9a-f.]{1,12}$/),
    );
    const parts = fc.record({
      scheme: fc.constantFrom('http', 'HTTPS'),
      user: fc.constantFrom('', 'u@', 'u:p@'),
      host,
      dot: fc.constantFrom('', '.', '..'),
      port: fc.constantFrom('', ':', ':80', ':8080', ':080'),
      rest: fc.stringMatching(/^(?:[/?#][a-c.:/?%é]{0,9})?$/),
    });
    const rules = rulesOf({ 'plugin.excludes': 'urlfilter-.*' });
    fc.assert(
      fc.property(parts, fc.boolean(), ({ scheme, user, host: name, dot, port, rest }, normalize) => {
        const given = `${scheme}://${user}${name}${dot}${port}${rest}`;
        const admission = rules.admit(given, 'inject', { normalize, filter: false });
        if ('url' in admission) expect(unreverseUrl(admission.key)).toBe(admission.url);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the URLs that filters are applied to', () => {
  const admitted = (url: string, params: Params) =>
    'url' in admit(url, { 'plugin.excludes': 'urlnormalizer-.*', ...params });

  it.each([
    // The URL as the normalizers return it, as in Nutch: here there are none.
    ['http://A.com/', '+^http://A\\.com/', true],
    ['http://user@a.com/', '+^http://a\\.com/', false],
    // And as it would be stored: parts that are cut off match no rule.
    ['http://good.com@evil.com/', '+^http://good\\.com', false],
    ['http://a.com/#.html', '+\\.html$', false],
    ['http://a.com/x#y', '+x', true],
    ['http://bad.example./x', '-^https?://bad\\.example/\n+.', false],
    ['http://bad.example\u3002/x', '-^https?://bad\\.example/\n+.', false],
    ['http://bad.example.:80/x', '-^https?://bad\\.example:80/\n+.', false],
  ])('%s is accepted by the rule %s: %s', (url, rule, accepted) => {
    expect(admitted(url, { 'urlfilter.regex.rules': rule })).toBe(accepted);
    const rules = rulesOf({ 'plugin.excludes': 'urlnormalizer-.*', 'urlfilter.regex.rules': rule });
    expect(explainUrl(rules, url, 'outlink').at(-1)?.after !== null).toBe(accepted);
  });
});

describe('a dot after the host', () => {
  it('does not evade a rule when normalizers are active', () => {
    const rules = { 'urlfilter.regex.rules': '-^https?://bad\\.example/\n+.' };
    expect(admit('http://bad.example./x', rules)).toMatchObject({ rejected: 'filter', rule: { number: 1 } });
  });
});

describe('a chain of URL plugins', () => {
  const names = (params: Params, scope = 'default') =>
    rulesOf(params)
      .normalizersOf(scope)
      .map(({ id }) => id);
  const filters = (params: Params) => rulesOf(params).filters.map(({ id }) => id);

  it('runs basic, then regex, then those that urlnormalizer.order does not name', () => {
    expect(names({})).toEqual(['urlnormalizer-basic', 'urlnormalizer-regex', 'urlnormalizer-pass']);
  });

  it('takes the order from urlnormalizer.order, by class or by id', () => {
    const order = 'urlnormalizer-regex org.apache.nutch.net.urlnormalizer.basic.BasicURLNormalizer';
    expect(names({ 'urlnormalizer.order': order }).slice(0, 2)).toEqual(['urlnormalizer-regex', 'urlnormalizer-basic']);
  });

  it('runs only the normalizers of urlnormalizer.scope.<scope> in that scope', () => {
    const params = { 'urlnormalizer.scope.inject': 'org.apache.nutch.net.urlnormalizer.pass.PassURLNormalizer' };
    expect(names(params, 'inject')).toEqual(['urlnormalizer-pass']);
    expect(names(params, 'outlink')).toHaveLength(3);
    expect(rulesOf(params).normalize(' http://A.com/x/../y', 'inject')).toBe(' http://A.com/x/../y');
  });

  it('runs urlnormalizer-ajax before basic, which drops fragments, unless the order names it', () => {
    const includes = 'urlnormalizer-(ajax|basic|querystring|host)';
    const usual = ['urlnormalizer-ajax', 'urlnormalizer-basic', 'urlnormalizer-host', 'urlnormalizer-querystring'];
    expect(names({ 'plugin.includes': includes })).toEqual(usual);
    const order = 'urlnormalizer-querystring urlnormalizer-ajax urlnormalizer-basic';
    expect(names({ 'plugin.includes': includes, 'urlnormalizer.order': order })[1]).toBe('urlnormalizer-ajax');
    const rules = rulesOf({ 'plugin.includes': includes, 'urlnormalizer.hosts.rules': 'a.com www.a.com' });
    const given = 'http://A.com/?y=1&x=2#!state';
    expect(rules.normalize(given, 'outlink')).toBe('http://www.a.com/?_escaped_fragment_=state&x=2&y=1');
    expect(rules.normalize('http://a.com/?_escaped_fragment_=s', 'indexer')).toBe('http://www.a.com/#!s');
  });

  it('activates plugins by plugin.includes and deactivates them by plugin.excludes', () => {
    expect(filters({ 'plugin.includes': 'urlfilter-(regex|domain)' })).toEqual(['urlfilter-regex', 'urlfilter-domain']);
    expect(filters({ 'plugin.excludes': 'urlfilter-.*' })).toEqual([]);
    expect(names({ 'plugin.includes': 'urlfilter-regex' })).toEqual([]);
  });

  it('applies the filters in the order of urlfilter.order', () => {
    const order = 'org.apache.nutch.urlfilter.domain.DomainURLFilter urlfilter-suffix';
    expect(filters({ 'urlfilter.order': order })).toEqual([
      'urlfilter-domain',
      'urlfilter-suffix',
      'urlfilter-regex',
      'urlfilter-trap',
      'urlfilter-blacklist',
    ]);
  });

  it('accepts every URL when no filter is active', () => {
    const rules = rulesOf({ 'plugin.includes': 'urlnormalizer-basic' });
    expect(rules.filter('http://a.com/x.gif?y')).toEqual({ accepted: true, plugin: null, rule: null });
  });

  it('repeats the normalizers up to urlnormalizer.loop.count times, until nothing changes', () => {
    const peel = { 'urlnormalizer.regex.rules': 'x/$\t' };
    expect(rulesOf(peel).normalize('http://a.com/x/x/x/', 'default')).toBe('http://a.com/x/x/');
    const twice = { ...peel, 'urlnormalizer.loop.count': '2' };
    expect(rulesOf(twice).normalize('http://a.com/x/x/x/', 'default')).toBe('http://a.com/x/');
    expect(rulesOf({ ...peel, 'urlnormalizer.loop.count': '10' }).normalize('http://a.com/x/x/x/', 'default')).toBe(
      'http://a.com/',
    );
  });
});

describe('host names outside ASCII', () => {
  it.each([
    [{}, 'http://xn--strae-oqa.de/'],
    [{ 'urlnormalizer.basic.host.idna2008': 'false' }, 'http://strasse.de/'],
    [{ 'urlnormalizer.basic.host.idn': 'toUnicode' }, 'http://straße.de/'],
  ])('with %j straße.de is %s', (params, url) => {
    expect(rulesOf(params).normalize('http://Straße.de', 'inject')).toBe(url);
  });
});

describe('rules given inline', () => {
  it('replace the shipped rules of each plugin', () => {
    const params = {
      'urlfilter.regex.rules': '+^https?://[^/]*example\\.org/\n-.',
      'urlfilter.suffix.rules': '+\n.pdf',
      'urlfilter.domain.rules': 'org',
      'urlnormalizer.regex.rules': '/old/\t/new/',
    };
    expect(admit('http://example.org/old/x.gif?a', params)).toMatchObject({ url: 'http://example.org/new/x.gif?a' });
    expect(admit('http://example.org/x.pdf', params)).toMatchObject({
      plugin: 'urlfilter-suffix',
      rule: { text: '.pdf' },
    });
    expect(admit('http://example.com/', params)).toMatchObject({ plugin: 'urlfilter-regex', rule: { number: 2 } });
  });

  it('may apply to one scope only', () => {
    const rules = rulesOf({ 'urlnormalizer.regex.rules.fetcher': 'b\tc' });
    expect(rules.normalize('http://a.com/b', 'fetcher')).toBe('http://a.com/c');
    expect(rules.normalize('http://a.com/b', 'outlink')).toBe('http://a.com/b');
  });

  it.each([
    [{ 'urlfilter.regex.rules': '+ok\n-(a)\\1' }, 'urlfilter.regex.rules: rule 2, position 5: back-reference \\1'],
    [{ 'urlfilter.regex.rules': '*x' }, 'urlfilter.regex.rules: rule 1, position 1: a rule starts with + or -'],
    [{ 'urlfilter.regex.rules': '+a\n+(?=b)' }, 'urlfilter.regex.rules: rule 2, position 2: (?= (look-ahead'],
    [{ 'urlnormalizer.regex.rules': 'a\t$1' }, 'urlnormalizer.regex.rules: rule 1, position 3: there is no group 1'],
    [{ 'urlnormalizer.regex.rules': 'a' }, 'urlnormalizer.regex.rules: rule 1: no TAB'],
    // Rules of plugins that are off are refused, too: see checkUrlRules.
    [{ 'urlfilter.automaton.rules': '+a&b' }, 'urlfilter.automaton.rules: rule 1, position 3: the operator &'],
    [{ 'urlfilter.fast.rules': 'DenyPath x' }, 'urlfilter.fast.rules: rule 1, position 1: no Host or Domain'],
    [{ 'urlfilter.prefix.rules': 'x'.repeat(3_000) }, 'urlfilter.prefix.rules: rule 1: longer than 2048'],
    [{ 'urlnormalizer.hosts.rules': 'a.com' }, 'urlnormalizer.hosts.rules: rule 1: a rule is a host'],
    [{ 'urlnormalizer.slashes.rules': 'a.com' }, 'urlnormalizer.slashes.rules: rule 1: a rule is a host'],
    [{ 'db.ignore.external.exemptions.rules': '+(' }, 'db.ignore.external.exemptions.rules: rule 1'],
    [{ 'urlnormalizer.regex.rules.indexer': 'a' }, 'urlnormalizer.regex.rules.indexer: rule 1: no TAB'],
    [{ 'plugin.includes': 'a(' }, 'plugin.includes: rule 1'],
    [{ 'plugin.excludes': '(a)\\1' }, 'plugin.excludes: rule 1, position 4: back-reference'],
  ])('%j is refused with the property and the rule', (params, message) => {
    expect(() => checkUrlRules(confOf(params))).toThrow(RulesRefused);
    expect(() => checkUrlRules(confOf(params))).toThrow(message);
  });
});

describe('explaining a URL', () => {
  it('shows each plugin, its result for the URL, and the rules that applied', () => {
    const steps = explainUrl(rulesOf(), 'HTTP://A.com/x.gif?sid=1#top', 'outlink');
    expect(
      steps.map(({ plugin, before, after, rules }) => [plugin, before, after, rules.map((r) => r.number)]),
    ).toEqual([
      ['urlnormalizer-basic', 'HTTP://A.com/x.gif?sid=1#top', 'http://a.com/x.gif?sid=1', []],
      ['urlnormalizer-regex', 'http://a.com/x.gif?sid=1', 'http://a.com/x.gif', [1, 5]],
      ['urlnormalizer-pass', 'http://a.com/x.gif', 'http://a.com/x.gif', []],
      ['urlfilter-regex', 'http://a.com/x.gif', null, [2]],
    ]);
  });

  it('ends when a normalizer drops the URL', () => {
    expect(explainUrl(rulesOf(), 'no url', 'outlink')).toEqual([
      { plugin: 'urlnormalizer-basic', kind: 'normalizer', before: 'no url', after: null, rules: [] },
    ]);
  });

  it('agrees with the result of admit', () => {
    const rules = makeUrlRules(defaults);
    for (const url of ['http://a.com/', 'http://a.com/b?c', 'http://a.com/x.zip', 'nothing', 'http://A.com//b']) {
      const last = explainUrl(rules, url, 'outlink').at(-1)?.after ?? null;
      const admission = rules.admit(url, 'outlink', both);
      expect('url' in admission ? admission.url : null).toBe(last);
    }
  });
});
