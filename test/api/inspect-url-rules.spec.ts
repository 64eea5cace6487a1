import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { normalizerScopes } from '../../src/api/inspect/url-scope.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
});
afterAll(() => api?.close());

interface Inspected {
  accepted: boolean;
  normalized: string | null;
  decidedBy: { plugin: string; rule: { number: number; text: string } | null } | null;
  steps: { plugin: string; kind: string; after: string | null; rules: { number: number; text: string }[] }[];
  fetchable: { reasons: { code: string; plugin?: string; message: string }[] };
}

async function inspect(params: object, body: object): Promise<Inspected> {
  const made = await request(api.url).post('/config/create').send({ configId: 'c', force: true, params });
  expect([made.status, made.text]).toEqual([200, 'c']);
  return (
    await request(api.url)
      .post('/v1/inspect/url')
      .send({ confId: 'c', ...body })
  ).body as Inspected;
}

describe('POST /v1/inspect/url reports every normalizer', () => {
  const params = {
    'plugin.includes': 'urlnormalizer-(basic|host|protocol|slash|querystring|ajax|regex|pass)',
    'urlnormalizer.hosts.rules': '*.old.test www.new.test',
    'urlnormalizer.protocols.rules': 'www.new.test\thttps',
    'urlnormalizer.slashes.rules': '# none\nwww.new.test +',
  };

  it('in order, with the rule that changed the URL', async () => {
    const { steps, normalized } = await inspect(params, { url: 'HTTP://A.old.test/x?b=1&a=2#!s', scope: 'outlink' });
    expect(normalized).toBe('https://www.new.test/x/?_escaped_fragment_=s&a=2&b=1');
    expect(steps.map(({ plugin, after, rules }) => [plugin, after, rules[0]?.text])).toEqual([
      ['urlnormalizer-ajax', 'HTTP://A.old.test/x?b=1&a=2&_escaped_fragment_=s', undefined],
      ['urlnormalizer-basic', 'http://a.old.test/x?b=1&a=2&_escaped_fragment_=s', undefined],
      ['urlnormalizer-regex', 'http://a.old.test/x?b=1&a=2&_escaped_fragment_=s', undefined],
      ['urlnormalizer-host', 'http://www.new.test/x?b=1&a=2&_escaped_fragment_=s', '*.old.test www.new.test'],
      ['urlnormalizer-protocol', 'https://www.new.test/x?b=1&a=2&_escaped_fragment_=s', 'www.new.test\thttps'],
      ['urlnormalizer-slash', 'https://www.new.test/x/?b=1&a=2&_escaped_fragment_=s', 'www.new.test +'],
      ['urlnormalizer-querystring', 'https://www.new.test/x/?_escaped_fragment_=s&a=2&b=1', undefined],
      ['urlnormalizer-pass', 'https://www.new.test/x/?_escaped_fragment_=s&a=2&b=1', undefined],
    ]);
  });

  it('and restores #! in scope indexer', async () => {
    const { normalized } = await inspect(params, { url: 'http://a.test/?_escaped_fragment_=s', scope: 'indexer' });
    expect(normalized).toBe('http://a.test/#!s');
  });
});

describe('POST /v1/inspect/url names the filter and the rule that rejects', () => {
  it.each([
    [
      'urlfilter-automaton',
      { 'urlfilter.automaton.rules': '# x\n-.*\\.old/.*\n+.*' },
      { number: 1, text: '-.*\\.old/.*' },
    ],
    ['urlfilter-prefix', { 'urlfilter.prefix.rules': 'http://new/' }, null],
    ['urlfilter-domain', { 'urlfilter.domain.rules': 'new' }, null],
    [
      'urlfilter-domaindenylist',
      { 'urlfilter.domaindenylist.rules': 'new\nsite.old' },
      { number: 2, text: 'site.old' },
    ],
    ['urlfilter-fast', { 'urlfilter.fast.rules': 'Domain old\n  DenyPath ^/x' }, { number: 2, text: 'DenyPath ^/x' }],
    ['urlfilter-fast', { 'urlfilter.fast.url.max.length': 5 }, { number: 0, text: 'urlfilter.fast.url.max.length=5' }],
    ['urlfilter-validator', { 'urlfilter.tld.length': 2 }, { number: 0, text: 'urlfilter.tld.length=2' }],
    ['urlfilter-suffix', { 'urlfilter.suffix.rules': '+\n.html' }, { number: 1, text: '.html' }],
    ['urlfilter-regex', { 'urlfilter.regex.rules': '> site.old\n-x\n<\n+.' }, { number: 1, text: '-x' }],
  ])('%s with %j: rule %j', async (plugin, rules, rule) => {
    const found = await inspect({ 'plugin.includes': plugin, ...rules }, { url: 'http://site.old/x.html' });
    expect([found.accepted, found.decidedBy]).toEqual([false, { plugin, rule }]);
    expect(found.fetchable.reasons).toContainEqual(expect.objectContaining({ code: 'FILTERED', plugin }));
  });

  it('and reports an exemption of db.ignore.external.exemptions.rules', async () => {
    const params = {
      'plugin.includes': 'urlfilter-ignoreexempt',
      'db.ignore.external.links': true,
      'db.ignore.external.exemptions.rules': '+^http://cdn\\.',
    };
    const codes = async (url: string) => (await inspect(params, { url })).fetchable.reasons.map(({ code }) => code);
    expect(await codes('http://cdn.test/')).toContain('EXEMPT');
    expect(await codes('http://other.test/')).not.toContain('EXEMPT');
  });
});

describe('POST /config/create refuses invalid rules, also of inactive plugins', () => {
  it.each([
    [{ 'urlfilter.automaton.rules': '+(?=a)' }, 'urlfilter.automaton.rules: rule 1, position 2: (? is nothing'],
    [{ 'urlfilter.fast.rules': 'Host a.com\nDenyPath (a' }, 'urlfilter.fast.rules: rule 2'],
    [{ 'urlnormalizer.hosts.rules': 'a.com' }, 'urlnormalizer.hosts.rules: rule 1: a rule is a host'],
    [{ 'db.ignore.external.exemptions.rules': '+(a)\\1' }, 'exemptions.rules: rule 1, position 5: back-reference'],
    [{ 'urlfilter.tld.length': 64 }, 'urlfilter.tld.length cannot be "64": it takes an integer from -1 to 63'],
  ])('%j: %s', async (params, message) => {
    const { status, body } = await request(api.url).post('/config/create').send({ params });
    expect([status, body.code]).toEqual([400, 'CONFIG_INVALID']);
    expect(body.detail).toContain(message);
  });
});

describe('every scope of normalizers', () => {
  const normalized = async (params: object, scope: string) => {
    await api.database.query(
      `insert into crawl_conf (id, params) values ('scoped', $1) on conflict (id) do update set params = excluded.params`,
      [JSON.stringify(params)],
    );
    const { body } = await request(api.url)
      .post('/v1/inspect/url')
      .send({ confId: 'scoped', url: 'http://a.test/x', scope });
    return (body as Inspected).normalized;
  };

  it.each(normalizerScopes)(
    '%s has its own urlnormalizer.regex.rules, which replace the general ones',
    async (scope) => {
      const params = Object.fromEntries([
        ['urlnormalizer.regex.rules', '/x$\t/of-all'],
        ...normalizerScopes.map((name) => [`urlnormalizer.regex.rules.${name}`, `/x$\t/of-${name}`]),
      ]);
      expect(await normalized(params, scope)).toBe(`http://a.test/of-${scope}`);
      delete params[`urlnormalizer.regex.rules.${scope}`];
      expect(await normalized(params, scope)).toBe('http://a.test/of-all');
    },
  );

  it.each(normalizerScopes)('%s runs the normalizers of its own urlnormalizer.scope only', async (scope) => {
    const others = normalizerScopes.filter((name) => name !== scope);
    const params: Record<string, string> = {
      'urlnormalizer.regex.rules': '/x$\t/changed',
      ...Object.fromEntries(others.map((name) => [`urlnormalizer.scope.${name}`, 'urlnormalizer-regex'])),
      [`urlnormalizer.scope.${scope}`]: 'urlnormalizer-pass',
    };
    expect(await normalized({ ...params, 'plugin.includes.also': 'urlnormalizer-pass' }, scope)).toBe(
      'http://a.test/x',
    );
    params[`urlnormalizer.scope.${scope}`] = 'urlnormalizer-regex';
    expect(await normalized(params, scope)).toBe('http://a.test/changed');
  });
});
