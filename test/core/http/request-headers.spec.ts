import { describe, expect, it } from 'vitest';
import { requestHeaders, userAgent } from '../../../src/core/http/request-headers.js';

describe('the User-Agent field (http.agent.*; RFC 9110 §10.1.5)', () => {
  it.each([
    [{ 'http.agent.name': 'orbweaver' }, 'orbweaver'],
    [{ 'http.agent.name': 'orbweaver', 'http.agent.version': '1.2' }, 'orbweaver/1.2'],
    [
      { 'http.agent.name': 'o', 'http.agent.version': '1', 'http.agent.url': 'http://o.example/' },
      'o/1 (http://o.example/)',
    ],
    [
      {
        'http.agent.name': 'o',
        'http.agent.description': 'a bot',
        'http.agent.url': 'u',
        'http.agent.email': 'e at x',
      },
      'o (a bot; u; e at x)',
    ],
    [{ 'http.agent.name': 'o', 'http.agent.email': 'e' }, 'o (e)'],
    [{ 'http.agent.name': '  ', 'http.agent.version': '1' }, ''],
    [{ 'http.agent.name': 'a\r\nX-Evil: 1' }, 'a X-Evil: 1'],
    [{ 'http.agent.name': 'käfer 蜘蛛' }, 'käfer ??'],
  ])('of %j is %j', (properties, expected) => {
    expect(userAgent(properties)).toBe(expected);
  });
});

describe('request headers', () => {
  const properties = {
    'http.agent.name': 'o',
    'http.accept': 'text/html',
    'http.accept.language': 'en',
    'http.accept.charset': 'utf-8',
  };

  it('come from the properties; an empty property omits its header', () => {
    expect(requestHeaders(properties)).toEqual({
      'user-agent': 'o',
      accept: 'text/html',
      'accept-language': 'en',
      'accept-charset': 'utf-8',
    });
    expect(requestHeaders({ 'http.agent.name': 'o', 'http.accept': '' })).toEqual({ 'user-agent': 'o' });
  });

  it.each([
    [{ etag: 'W/"1"' }, { 'if-none-match': 'W/"1"' }],
    [{ lastModified: 'Sun, 06 Nov 1994 08:49:37 GMT' }, { 'if-modified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' }],
    [
      { lastModified: 'Sun, 06 Nov 1994 08:49:37 GMT', modifiedTime: 784111000000 },
      { 'if-modified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' },
    ],
    [{ modifiedTime: 784111777000 }, { 'if-modified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' }],
    [{ modifiedTime: 0 }, {}],
    [{ modifiedTime: Number.MAX_VALUE }, {}],
    [{ etag: null, lastModified: null, modifiedTime: null }, {}],
  ])('with validators %j are %j, unless conditional requests are off', (validators, expected) => {
    expect(requestHeaders({}, validators)).toEqual(expected);
    expect(requestHeaders({ 'http.enable.if.modified.since.header': false }, validators)).toEqual({});
    expect(requestHeaders({ 'http.enable.if.modified.since.header': 'false' }, validators)).toEqual({});
  });
});
