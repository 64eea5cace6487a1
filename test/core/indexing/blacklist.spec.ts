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
