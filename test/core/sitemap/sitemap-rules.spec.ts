import { expect, it } from 'vitest';
import { parseConf } from '../../../src/core/conf/properties.js';
import { SitemapRules } from '../../../src/core/sitemap/sitemap-rules.js';
import { makeUrlRules } from '../../../src/plugin/url-rules.js';

const rules = new SitemapRules(makeUrlRules(parseConf({}).conf), { normalize: true, filter: true });

it.each([
  ['site.test', 'http://site.test/robots.txt'],
  ['site.test:8080', 'http://site.test:8080/robots.txt'],
  ['HTTPS://site.test/a', 'https://site.test/robots.txt'],
  ['ftp://site.test', undefined],
  ['file:///etc/passwd', undefined],
  ['', undefined],
])('the host %j of SITEMAP means %s', (given, url) => {
  expect(rules.origin(given)?.url).toBe(url);
});
