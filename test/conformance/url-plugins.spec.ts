import { describe, expect } from 'vitest';
import { parseConf, type Params } from '../../src/core/conf/properties.js';
import { explainUrl } from '../../src/core/url/explain-url.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';
import { groupOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';

/** The groups of url.spec.ts again, each through its plugin: activated alone, with rules given as a property. */

const rulesOf = (plugin: string, params: Params = {}) =>
  makeUrlRules(parseConf({ 'plugin.includes': plugin, ...params }).conf);

interface NormalizerCase {
  n: number;
  in: string;
  out: string;
  scope?: string;
}

describe.each([
  ['normalizer.pass', 'urlnormalizer-pass', ''],
  ['normalizer.host', 'urlnormalizer-host', 'urlnormalizer.hosts.rules'],
  ['normalizer.slash', 'urlnormalizer-slash', 'urlnormalizer.slashes.rules'],
  ['normalizer.protocol', 'urlnormalizer-protocol', 'urlnormalizer.protocols.rules'],
  ['normalizer.querystring', 'urlnormalizer-querystring', ''],
  ['normalizer.ajax', 'urlnormalizer-ajax', ''],
] as const)('%s of Nutch, by %s', (id, plugin, property) => {
  const { cases, rules } = groupOf<NormalizerCase>(id);
  const made = rulesOf(plugin, property === '' ? {} : { [property]: rules });

  eachCase(cases)('case $n: $in becomes $out', ({ in: url, out, scope = 'default' }) => {
    expect(made.normalize(url, scope)).toBe(out);
    expect(explainUrl(made, url, scope).find(({ kind }) => kind === 'normalizer')?.after).toBe(out);
  });
});

interface FilterCase {
  n: number;
  url: string;
  accept: boolean;
  rules?: string[];
  config?: Record<string, number>;
  url_len?: number;
}

describe.each([
  ['filter.regex.WholeWebCrawling', 'urlfilter-regex', 'urlfilter.regex.rules'],
  ['filter.regex.IntranetCrawling', 'urlfilter-regex', 'urlfilter.regex.rules'],
  ['filter.regex.Benchmarks', 'urlfilter-regex', 'urlfilter.regex.rules'],
  ['filter.regex.nutch1838', 'urlfilter-regex', 'urlfilter.regex.rules'],
  ['filter.automaton.WholeWebCrawling', 'urlfilter-automaton', 'urlfilter.automaton.rules'],
  ['filter.automaton.IntranetCrawling', 'urlfilter-automaton', 'urlfilter.automaton.rules'],
  ['filter.suffix', 'urlfilter-suffix', 'urlfilter.suffix.rules'],
  ['filter.prefix', 'urlfilter-prefix', 'urlfilter.prefix.rules'],
  ['filter.domain', 'urlfilter-domain', 'urlfilter.domain.rules'],
  ['filter.domain.empty', 'urlfilter-domain', 'urlfilter.domain.rules'],
  ['filter.domaindenylist', 'urlfilter-domaindenylist', 'urlfilter.domaindenylist.rules'],
  ['filter.fast', 'urlfilter-fast', 'urlfilter.fast.rules'],
  ['filter.fast.toplevel', 'urlfilter-fast', 'urlfilter.fast.rules'],
  ['filter.fast.length', 'urlfilter-fast', 'urlfilter.fast.rules'],
  ['filter.validator', 'urlfilter-validator', ''],
] as const)('%s of Nutch, by %s', (id, plugin, property) => {
  const { cases, rules: usual = [] } = groupOf<FilterCase>(id);
  const lines = (rules: string[]): Params => (property === '' ? {} : { [property]: rules });

  eachCase(cases)(
    'case $n: $url is accepted: $accept',
    ({ url, accept, rules = usual, config = {}, url_len: length = 0 }) => {
      const made = rulesOf(plugin, { ...lines(rules), ...config });
      const last = explainUrl(made, url.padEnd(length, 'x'), 'default').at(-1);
      expect(last?.after !== null).toBe(accept);
      expect(last?.plugin).toBe(plugin);
    },
  );
});
