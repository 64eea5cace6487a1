import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asText, defaults, noticeOn, parseConf, propertyNames, propertyOf } from '../../src/core/conf/properties.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';

describe('the table of properties', () => {
  it.each(propertyNames)('%s has a valid default and a description', (name) => {
    const property = propertyOf(name);
    expect(property?.sentence).toMatch(/^[A-Z].*\.$/s);
    expect(parseConf({ [name]: property?.defaultText }).problems).toEqual([]);
    expect(parseConf({ [name]: property?.default }).conf[name]).toEqual(defaults[name]);
  });

  it.each([
    ['db.fetch.interval.default', 2_592_000],
    ['db.fetch.retry.max', 3],
    ['db.max.outlinks.per.page', 100],
    ['db.score.injected', 1],
    ['fetcher.server.delay', 5],
    ['fetcher.threads.fetch', 10],
    ['fetcher.queue.mode', 'byHost'],
    ['generate.max.count', -1],
    ['http.content.limit', 1_048_576],
    ['http.agent.name', ''],
    ['http.redirect.max', 0],
    ['parser.character.encoding.default', 'windows-1252'],
  ] as const)('%s has the default of Nutch', (name, value) => {
    expect(defaults[name]).toBe(value);
  });

  it.each([
    ['http.tls.certificates.check', true, 'certificates are checked'],
    ['http.time.limit', 60, 'a download ends'],
    ['db.ignore.internal.links', true, 'the 2.x meaning: links inside a host are not stored as inlinks'],
  ] as const)('%s differs from 1.x: %s, so that %s', (name, value, _reason) => {
    expect(defaults[name]).toBe(value);
  });

  it.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.10.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['169.254.169.254', 'the metadata service of clouds'],
    ['168.63.129.16', 'the metadata service of Azure'],
    ['fd00:ec2::254', 'the metadata service of AWS'],
    ['fc00::1', 'unique local'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['0.0.0.0', 'unspecified'],
    ['240.0.0.1', 'reserved'],
    ['2001:10::1', 'reserved'],
    ['4000::1', 'not globally reachable'],
  ])('%s (%s) is refused by default', (address) => {
    const guard = makeEgressGuard({
      exclude: defaults['http.filter.ipaddress.exclude'],
      include: defaults['http.filter.ipaddress.include'],
    });
    expect(guard.check(address, 80)).not.toBeNull();
  });
});

describe('reading property values', () => {
  it.each([
    ['fetcher.threads.fetch', '25', 25],
    ['fetcher.threads.fetch', 25, 25],
    ['fetcher.threads.fetch', ' 25 ', 25],
    ['fetcher.server.delay', '0.5', 0.5],
    ['fetcher.server.delay', '1.0f', 1],
    ['fetcher.server.delay', 0, 0],
    ['fetcher.parse', 'TRUE', true],
    ['fetcher.parse', false, false],
    ['fetcher.queue.mode', 'bydomain', 'byDomain'],
    ['http.robots.agents', 'one, two', ['one', 'two']],
    ['http.robots.agents', ['one', 'two'], ['one', 'two']],
    ['http.filter.ipaddress.exclude', '', []],
    ['urlfilter.regex.rules', '-\\.gif$\n+.', '-\\.gif$\n+.'],
    ['urlfilter.regex.rules', ['-\\.gif$', '+.'], '-\\.gif$\n+.'],
  ] as const)('%s given as %j is %j', (name, given, value) => {
    expect(parseConf({ [name]: given })).toMatchObject({ problems: [], conf: { [name]: value } });
  });

  it.each([
    ['fetcher.threads.fetch', '1e9'],
    ['fetcher.threads.fetch', 0],
    ['fetcher.threads.fetch', 1.5],
    ['fetcher.threads.fetch', null],
    ['fetcher.threads.fetch', ''],
    ['fetcher.threads.fetch', [1]],
    ['fetcher.threads.fetch', { a: 1 }],
    ['fetcher.server.delay', -1],
    ['fetcher.server.delay', Infinity],
    ['fetcher.server.delay', 'NaN'],
    ['fetcher.parse', 'yes'],
    ['fetcher.queue.mode', 'byMoon'],
    ['http.timeout', 0],
    ['http.agent.name', 'a\r\nX-Evil: 1'],
    ['http.agent.name', 'a\0'],
    ['db.fetch.schedule.class', 'java lang Runtime'],
    ['urlfilter.regex.rules', 'a\0b'],
  ])('%s refuses %j and keeps its default', (name, given) => {
    const { conf, problems } = parseConf({ [name]: given });
    expect(problems).toMatchObject([{ property: name, allowed: propertyOf(name)?.allowed }]);
    expect(conf).toEqual(defaults);
  });

  it.each([
    ['parser.timeout', '-1', 3_600],
    ['sitemap.parser.timeout', '-1', 3_600],
    ['db.max.outlink.length', '-1', 65_536],
    ['lang.analyze.max.length', '0', 65_536],
    ['http.redirect.max', '-1', -1],
  ] as const)('accepts the value of %s that is no limit in Nutch: %s is %i', (name, given, value) => {
    const { conf, problems } = parseConf({ [name]: given });
    expect([problems, conf[name]]).toEqual([[], value]);
  });

  it('keeps an unknown property as text and suggests the nearest known one', () => {
    const { extra, unused, problems } = parseConf({ 'fetcher.server.delai': '1', 'my.own': 7 });
    expect(problems).toEqual([]);
    expect(unused).toEqual(['fetcher.server.delai', 'my.own']);
    expect(extra).toEqual({ 'fetcher.server.delai': '1', 'my.own': '7' });
    expect(Object.keys(extra).map(noticeOn)).toEqual([
      'Property fetcher.server.delai is not known and changes nothing here; the nearest is fetcher.server.delay.',
      'Property my.own is not known and changes nothing here.',
    ]);
  });

  it.each(['generate.filter', 'generate.normalise'])(
    'suggests the property without the prefix for crawl.%s (C4)',
    (name) => {
      expect(noticeOn(`crawl.${name}`)).toContain(`; the nearest is ${name}.`);
    },
  );

  it('lets params override the base', () => {
    const { conf } = parseConf({ 'fetcher.parse': 'true' }, { 'fetcher.parse': 'false', 'http.timeout': '5' });
    expect(conf).toMatchObject({ 'fetcher.parse': true, 'http.timeout': 5 });
  });

  it('writes objects of an array as JSON, even if they have toString or toJSON', () => {
    const given = [{ toString: 0, toJSON: 1 }, { toString: null }, [1, [2]], null];
    expect(asText('my.own', given)).toBe('{"toString":0,"toJSON":1},{"toString":null},[1,[2]],null');
    expect(parseConf({ 'urlfilter.regex.rules': given }).problems).toMatchObject([
      { property: 'urlfilter.regex.rules' },
    ]);
  });

  it('never throws for any values', () => {
    const name = fc.constantFrom(...propertyNames);
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), (params) => void parseConf(params)),
      { numRuns: 200 },
    );
  });
});

describe('references to other properties', () => {
  it('a default that refers to another property changes with it', () => {
    const { conf } = parseConf({ 'fetcher.server.delay': '1.5' });
    expect(conf['fetcher.min.crawl.delay']).toBe(1.5);
    expect(conf['fetcher.exceptions.per.queue.delay']).toBe(1.5);
  });

  it.each([
    ['${http.agent.version}', 'Orbweaver-0.1'],
    ['a ${fetcher.queue.mode} b', 'a byHost b'],
    ['${my.${which}}', 'one'],
    ['${not.there}', '${not.there}'],
    ['$x', '$x'],
  ])('%s becomes %s', (given, expanded) => {
    const { conf } = parseConf({ 'http.agent.name': given, which: 'first', 'my.first': 'one' });
    expect(conf['http.agent.name']).toBe(expanded);
  });

  it.each([
    ['to itself', { 'http.agent.name': '${http.agent.name}x' }],
    ['in a cycle', { 'http.agent.name': '${http.agent.url}', 'http.agent.url': '${http.agent.name}' }],
    [
      'that doubles endlessly',
      { 'http.agent.name': '${a}${a}', a: '${b}${b}', b: '${c}${c}', c: '${d}${d}', d: '${a}' },
    ],
  ])('a reference %s is refused', (_, params) => {
    expect(parseConf(params).problems.map((problem) => problem.property)).toContain('http.agent.name');
  });

  it('the total length of expanded references is bounded, and properties beyond it are reported', () => {
    const names = ['automaton', 'domain', 'fast', 'prefix', 'regex', 'suffix'].map((name) => `urlfilter.${name}.rules`);
    const { problems } = parseConf({
      x: 'a'.repeat(100_000),
      ...Object.fromEntries(names.map((name) => [name, '${x}'.repeat(10)])),
    });
    expect(problems).toHaveLength(2);
    expect(names).toEqual(expect.arrayContaining(problems.map(({ property }) => property)));
  });

  it('a default that cannot follow another property is reported, too', () => {
    const chain = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x${n}`, n === 19 ? '3' : `\${x${n + 1}}`]));
    const { problems } = parseConf({ ...chain, 'fetcher.server.delay': '${x0}' });
    expect(problems.map(({ property }) => property)).toEqual([
      'fetcher.exceptions.per.queue.delay',
      'fetcher.min.crawl.delay',
    ]);
  });
});
