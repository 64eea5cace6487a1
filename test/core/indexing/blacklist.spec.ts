import { describe, expect, it } from 'vitest';
import { compileBlacklist } from '../../../src/core/indexing/blacklist.js';

describe('index.blacklist', () => {
  const listed = compileBlacklist(
    '# mine\r\n\nhttp://a.test/one\n  http://a.test/part/*\n/x\\d$/\nhttp://B.test\nftp*\n',
  );

  it.each([
    ['http://a.test/one', 3],
    ['http://a.test/one/', null],
    ['http://a.test/part/', 4],
    ['https://a.test/x9', 5],
    ['http://b.test/', 6],
    ['ftp://a.test/', 7],
    ['http://a.test/', null],
  ])('has %s in line %j', (url, line) => expect(listed(url)?.number ?? null).toBe(line));

  it.each([
    ['HTTP://B.test/Path/*', 'http://b.test/Path/1', 1],
    ['HTTP://B.test/Path/*', 'http://b.test/path/1', null],
    ['HTTP*', 'http://b.test/', 1],
    ['http://B.tes*', 'http://b.test/', 1],
  ])('compares the scheme and the host of the prefix %j with %j in lower case', (prefix, url, line) =>
    expect(compileBlacklist(prefix)(url)?.number ?? null).toBe(line),
  );

  it.each([
    ['http://a.test/ü b', 'http://a.test/%C3%BC%20b'],
    ['http://a.test/x#part', 'http://a.test/x'],
    ['http://a.test/ü b/*', 'http://a.test/%C3%BC%20b/1'],
    ['http://a.test/%C3%BC/*', 'http://a.test/%C3%BC/1'],
    ['http://a.test/\ud800*', 'http://a.test/%EF%BF%BD'],
  ])('takes %j as a browser shows it (H13)', (line, url) => expect(compileBlacklist(line)(url)?.number).toBe(1));

  it('names the shortest of several prefixes that match, and the first of equal ones', () => {
    const found = compileBlacklist('http://a.test/b/*\nhttp://a.test/b/c*\nhttp://a.test/b/*\nhttp://a.test/x*');
    expect(['b/c', 'x', 'y'].map((path) => found(`http://a.test/${path}`)?.number)).toEqual([1, 4, undefined]);
  });

  it.each([
    'example.org',
    'example.org/*',
    '*.example.org',
    '//a.test/*',
    '/x',
    'x/',
    '/',
    'http:/a.test/',
    'localhost*',
  ])('refuses %j, which could match no URL', (line) =>
    expect(() => compileBlacklist(`http://a.test/\n${line}`)).toThrow(
      `rule 2: must be a URL, the beginning of URLs followed by *, or an expression between slashes (${line})`,
    ),
  );

  it.each(['*', 'http*', 'https:/*', 'file:///srv/*', 'HTTPS://A.test/'])('accepts %j', (line) =>
    expect(() => compileBlacklist(line)).not.toThrow(),
  );
});
