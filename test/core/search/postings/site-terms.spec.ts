import { expect, it } from 'vitest';
import { siteHostOf } from '../../../../src/core/search/postings/searched-document.js';
import { sitesOf } from '../../../../src/core/search/postings/site-terms.js';

/** The sites by which a page is found (`site:`). */

it.each([
  ['www.apache.org', ['www.apache.org', 'apache.org', 'org']],
  ['localhost', ['localhost']],
  ['192.0.2.1', ['192.0.2.1']],
  ['[2001:db8::1]', ['[2001:db8::1]']],
  ['', []],
])('of host %j are %j', (host, sites) => expect(sitesOf(host)).toEqual(sites));

it('of a host of very many labels are those of the last sixteen', () => {
  const labels = Array.from({ length: 30 }, (_, n) => `l${n}`);
  const sites = sitesOf(labels.join('.'));
  expect(sites).toHaveLength(16);
  expect([sites[0], sites.at(-1)]).toEqual([labels.slice(14).join('.'), 'l29']);
});

it.each([
  ['http://WWW.a.test:8080/b', 'www.a.test'],
  ['https://user:pass@a.test/?c#d', 'a.test'],
  ['http://[2001:db8::1]:80/', '[2001:db8::1]'],
  ['a.test/b', ''],
])('are those of the host of a URL: %s', (url, host) => expect(siteHostOf(url)).toBe(host));
