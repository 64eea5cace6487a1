import { expect, it } from 'vitest';
import { siteHostOf } from '../../../../src/core/search/postings/searched-document.js';
import { sitesOf, titleParts } from '../../../../src/core/search/postings/site-terms.js';

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

/** The parts of a title by which a page may be called. */

it.each([
  ['Ferry timetable', []],
  ['Ferries - Harbour', ['Ferries', 'Harbour']],
  ['Harbour: Ferries', ['Harbour', 'Ferries']],
  ['A | B | C', ['A', 'A | B', 'B', 'B | C', 'C']],
  ['9.4. String Functions', ['9.4', 'String Functions']],
  ['ArrayList (Java SE 17)', ['ArrayList', '(Java SE 17)']],
  ['printf(3)', ['printf', '(3)']],
  ['第3章：概要（案）', ['第3章', '第3章：概要', '概要', '概要（案）', '（案）']],
  ['std::vector', []],
  ['wi-fi 2.4 and/or 5', []],
  [' - ', []],
])('of the title %j are %j', (title, parts) => expect(titleParts(title)).toEqual(parts));

it('of a title with very many separators are few', () => {
  const parts = titleParts(Array.from({ length: 40 }, (_, n) => `p${n}`).join(' - '));
  expect(parts).toHaveLength(8);
  expect(parts.slice(0, 3)).toEqual(['p0', 'p0 - p1', 'p0 - p1 - p2']);
});
