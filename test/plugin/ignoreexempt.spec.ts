import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { judgeRedirect } from '../../src/core/url/redirect-rules.js';
import { PageParser } from '../../src/cycle/parse/page-parser.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';

const includes = 'protocol-http|urlfilter-(regex|ignoreexempt)|parse-(html|text)|urlnormalizer-(regex|basic)';
const rulesOf = (params: Record<string, string>) => {
  const { conf } = parseConf({ 'db.ignore.external.links': 'true', ...params });
  return { conf, rules: makeUrlRules(conf) };
};
const exempting = rulesOf({
  'plugin.includes': includes,
  'db.ignore.external.exemptions.rules': '# pictures of the CDN\n-\\.zip\n+^https?://cdn\\.test/',
});

describe('exemptions from db.ignore.external.links', () => {
  it.each([
    ['http://cdn.test/a', true, 2],
    ['https://cdn.test/a', true, 2],
    ['http://cdn.test/a.zip', false, 1],
    ['http://other.test/', false, undefined],
  ])('%s is exempt: %s, by rule %s', (to, accepted, number) => {
    const verdict = exempting.rules.exempt('http://site.test/', to);
    expect(verdict).toMatchObject({ accepted, plugin: 'urlfilter-ignoreexempt' });
    expect(verdict.rule?.number).toBe(number);
  });

  it('do not apply without rules or without the plugin', () => {
    const withoutRules = rulesOf({ 'plugin.includes': includes });
    const withoutPlugin = rulesOf({ 'db.ignore.external.exemptions.rules': '+.' });
    for (const { rules } of [withoutRules, withoutPlugin]) {
      expect(rules.exempt('http://site.test/', 'http://cdn.test/').accepted).toBe(false);
    }
  });

  it('let links pass in PARSE, where URL filters still apply to them', async () => {
    const html = ['cdn.test/a', 'cdn.test/x.gif', 'other.test/', 'site.test/b']
      .map((place) => `<a href="http://${place}">x</a>`)
      .join('');
    const page = { url: 'http://site.test/', contentType: 'text/html', truncated: false, robotsTag: null };
    const parser = new PageParser(exempting.conf, exempting.rules);
    const { links } = await parser.explain(Buffer.from(html), page);
    expect(links.map(({ dropped }) => dropped)).toEqual([null, 'filtered', 'external', null]);
  });

  it('let redirects pass', () => {
    const from = { url: 'http://site.test/', key: 'test.site:http/' };
    const refused = ['http://cdn.test/a', 'http://other.test/'].map((to) => judgeRedirect(from, to, exempting).refused);
    expect(refused).toEqual([null, 'external']);
  });

  it('let a meta refresh pass', () => {
    const parser = new PageParser(exempting.conf, exempting.rules);
    const targets = ['http://cdn.test/a', 'http://other.test/'].map((to) =>
      parser.redirectTarget(to, 'http://site.test/'),
    );
    expect(targets).toEqual(['http://cdn.test/a', null]);
  });
});
