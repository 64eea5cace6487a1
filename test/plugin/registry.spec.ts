import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { literalAlternatives } from '../../src/core/conf/literal-alternatives.js';
import { activePlugins } from '../../src/plugin/registry.js';

const active = (includes: string, excludes = '') => {
  const found = activePlugins({ ...defaults, 'plugin.includes': includes, 'plugin.excludes': excludes });
  return { ...found, active: [...found.active].sort() };
};

describe('plugin.includes', () => {
  it("accepts Nutch's default: plugins built here are active, others are reported as not built", () => {
    const nutch =
      'protocol-http|urlfilter-(regex|validator)|parse-(html|tika)|index-(basic|anchor)|indexer-solr|scoring-opic|' +
      'urlnormalizer-(pass|regex|basic)';
    expect(active(nutch)).toEqual({
      active: [
        'index-anchor',
        'index-basic',
        'indexer-solr',
        'parse-html',
        'protocol-http',
        'scoring-opic',
        'urlfilter-regex',
        'urlfilter-validator',
        'urlnormalizer-basic',
        'urlnormalizer-pass',
        'urlnormalizer-regex',
      ],
      onlyInNutch: ['parse-tika'],
      unknown: [],
    });
  });

  it('is evaluated again when one of its properties changes, and when it changes back', () => {
    const conf = { ...defaults, 'plugin.includes': 'parse-js', 'plugin.includes.also': '' };
    const of = (change: Partial<typeof defaults>) => [...activePlugins({ ...conf, ...change }).active];
    for (let round = 0; round < 2; round++) {
      expect(of({})).toEqual(['parse-js']);
      expect(of({ 'plugin.includes': 'parse-html' })).toEqual(['parse-html']);
      expect(of({ 'plugin.includes.also': 'headings', 'plugin.auto-activation': false })).toContain('parse-js');
      expect(of({ 'plugin.excludes': 'parse-.*' })).toEqual([]);
    }
  });

  it('must match a whole id', () => {
    expect(active('regex|urlfilter-reg').active).toEqual([]);
    expect(active('urlnormalizer-.*').active).toHaveLength(8);
  });

  it('reports unknown ids', () => {
    expect(active('urlfilter-(regexp|domain)').unknown).toEqual(['urlfilter-regexp']);
  });

  it('is overridden by plugin.excludes', () => {
    expect(active('parse-(html|text)', 'parse-text').active).toEqual(['parse-html']);
  });

  it('activates nothing when empty', () => {
    expect(active('')).toEqual({ active: [], onlyInNutch: [], unknown: [] });
  });
});

describe('literal alternatives of an expression', () => {
  it.each([
    ['a|b-(c|d)', ['a', 'b-c', 'b-d']],
    ['a(?:b|c(d|e))f', ['abf', 'acdf', 'acef']],
    ['a|', ['a']],
    ['', []],
    ['a.*', []],
    ['a(b', []],
    ['a)b', []],
    [`${'('.repeat(50)}a${')'.repeat(50)}`, []],
    ['(a|b)'.repeat(20), []],
  ])('of %s are %j', (expression, texts) => {
    expect(literalAlternatives(expression)).toEqual(texts);
  });
});
