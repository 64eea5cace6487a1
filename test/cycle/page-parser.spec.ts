import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { reverseUrl } from '../../src/core/url/row-key.js';
import { PageParser } from '../../src/cycle/parse/page-parser.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';

/** The explanation of a page agrees with what PARSE stores. */

const parserOf = (params: Record<string, string>) => {
  const { conf } = parseConf(params);
  return new PageParser(conf, makeUrlRules(conf));
};

const page = { url: 'http://site.test/docs/', contentType: 'text/html', truncated: false, robotsTag: null };
const html = `<title>t</title><a href="/a#x">1</a><a href=/a>2</a><a rel=nofollow href=/n>3</a><a href=/s?q>4</a>
  <a href=http://other.test/>5</a><a href=.>6</a><a href=ftp://site.test/>7</a><a href=/B/../c;jsessionid=1>8</a><img src=/i.gif>`;

describe('PageParser.explain of a page', () => {
  it.each<[string, Record<string, string>, string]>([
    ['with default properties', {}, html],
    ['with links to its host only', { 'db.ignore.external.links': 'true' }, html],
    ['with few links', { 'db.max.outlinks.per.page': '2' }, html],
    ['without filters', { 'parse.filter.urls': 'false', 'parse.normalize.urls': 'false' }, html],
    ['with robots nofollow', {}, `<meta name=robots content=nofollow>${html}`],
    ['without a parser', { 'plugin.includes': 'parse-text|urlnormalizer-basic' }, html],
  ])('%s reports the links and the signature that PARSE stores', async (_, params, text) => {
    const content = Buffer.from(text);
    const written = await parserOf(params).parse(content, page, () => undefined);
    const { links, parsed } = await parserOf(params).explain(content, page);
    const kept = links.flatMap(({ keptAs, dropped }) => {
      expect(keptAs === null).toBe(dropped !== null);
      return keptAs === null ? [] : [reverseUrl(keptAs)];
    });
    expect(kept).toEqual(written.outlinkKeys);
    expect([parsed.status.major, parsed.signature ?? null]).toEqual([written.parseMajor, written.signature]);
  });

  it('with a refresh to another URL reports no other link; PARSE stores the target by the rules of redirects', async () => {
    const content = Buffer.from('<meta http-equiv=refresh content="0; url=/new"><a href=/a>a</a>');
    const written = await parserOf({}).parse(content, page, () => undefined);
    const { links, parsed } = await parserOf({}).explain(content, page);
    expect(links).toEqual([{ url: 'http://site.test/a', anchor: 'a', tag: 'a', dropped: 'refresh', keptAs: null }]);
    const target = parserOf({}).redirectTarget(parsed.refresh!.url, page.url);
    expect(written.outlinkKeys).toEqual([reverseUrl(target!)]);
  });
});

describe('PageParser.parse of a page with a meta refresh', () => {
  const targetsOf = async (params: Record<string, string>, url: string) => {
    const content = Buffer.from(`<meta http-equiv=refresh content="0; url=${url}">`);
    return (await parserOf(params).parse(content, page, () => undefined)).outlinkKeys;
  };

  it('ignores a target longer than a Location may be', async () => {
    const path = `/${'x'.repeat(99)}`;
    expect(await targetsOf({ 'http.redirect.location.max': '100' }, path)).toEqual([]);
    expect(await targetsOf({ 'http.redirect.location.max': '120' }, path)).toEqual([`test.site:http${path}`]);
  });

  it('ignores a target that the normalizers make the page itself', async () => {
    const params = { 'urlnormalizer.regex.rules': ';sid=\\w+\t' };
    expect(await targetsOf(params, '/docs/;sid=1')).toEqual([]);
    expect(await targetsOf(params, '/news/;sid=1')).toEqual(['test.site:http/news/']);
  });

  it.each([
    ['/docs/;sid=1', { 'urlnormalizer.regex.rules': ';sid=\\w+\t' }],
    [`/${'x'.repeat(99)}`, { 'http.redirect.location.max': '50' }],
  ])('that is ignored (%s) keeps its text and its other links', async (target, params) => {
    const content = Buffer.from(`<meta http-equiv=refresh content="9; url=${target}">words<a href=/a>a</a>`);
    const written = await parserOf(params).parse(content, page, () => undefined);
    expect(written).toMatchObject({ parseMajor: 1, parseMinor: 0, textLength: 6, outlinkKeys: ['test.site:http/a'] });
    const { links, parsed } = await parserOf(params).explain(content, page);
    expect(parsed).toMatchObject({ refresh: null, text: 'wordsa' });
    expect(links).toMatchObject([{ keptAs: 'http://site.test/a' }]);
  });
});
