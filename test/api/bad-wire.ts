/**
 * Malformed HTTP messages that reach no route: lines, heads, lengths, chunks. Each is answered 4xx with a message, or cut off.
 */

export interface BadWire {
  name: string;
  /** The request; with `Connection: close` where the server shall end the connection. */
  bytes: string | Buffer;
  /** The statuses that are correct. */
  status: readonly number[];
  /** Text that the answer must contain. */
  says: string;
}

const host = 'Host: 127.0.0.1\r\n';
const close = 'Connection: close\r\n';
const json = 'Content-Type: application/json\r\n';
const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\n${host}${close}${headers}\r\n`;
const post = (headers: string, body: string) =>
  `POST /config/create HTTP/1.1\r\n${host}${close}${json}${headers}\r\n${body}`;
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body);

const lines: [string, string, readonly number[], string][] = [
  ['a method in lower case', `get /admin HTTP/1.1\r\n${host}${close}\r\n`, [400], 'upper case'],
  ['an unknown method', `FOO /admin HTTP/1.1\r\n${host}${close}\r\n`, [400], 'method'],
  ['no method', `/admin HTTP/1.1\r\n${host}${close}\r\n`, [400], 'method'],
  ['TRACE', `TRACE /admin HTTP/1.1\r\n${host}${close}\r\n`, [405], 'use GET'],
  ['PATCH', `PATCH /admin HTTP/1.1\r\n${host}${close}\r\n`, [405], 'use GET'],
  ['PROPFIND', `PROPFIND /admin HTTP/1.1\r\n${host}${close}\r\n`, [405], 'use GET'],
  ['TRACE of an unknown path', `TRACE /none HTTP/1.1\r\n${host}${close}\r\n`, [404], 'There is nothing at TRACE'],
  ['HTTP/0.9', 'GET /admin\r\n\r\n', [400, 403], 'Host'],
  ['HTTP/3.0', `GET /admin HTTP/3.0\r\n${host}${close}\r\n`, [400], 'not HTTP'],
  ['a space in the target', `GET /ad min HTTP/1.1\r\n${host}${close}\r\n`, [400], 'not HTTP'],
  ['a NUL in the target', get('/ad\0min'), [400], 'not HTTP'],
  [
    'HTTP/2 by prior knowledge, with a stream that is reset at once',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x01\x01\x05\0\0\0\x01\x82\0\0\x04\x03\0\0\0\0\x01\0\0\0\x08',
    [400],
    '',
  ],
  [
    'an h2c upgrade, which is ignored',
    get('/config', 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'),
    [200, 400],
    '',
  ],
  ['TLS on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400], 'method'],
  ['SSH on the port', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', [400], 'method'],
  ['a target of 64 KiB', get(`/config/${'a'.repeat(65_536)}`), [431], '16384 bytes'],
  ['a query of 64 KiB', get(`/job?crawlId=${'a'.repeat(65_536)}`), [431], '16384 bytes'],
];

const targets: [string, string, readonly number[], string][] = [
  ['a target of 15 KiB', `/config/${'a'.repeat(15_000)}`, [404], 'There is no configuration'],
  ['bad percent-encoding', '/config/%zz', [400], 'malformed'],
  ['percent-encoding cut short', '/config/%e2%82', [400], 'malformed'],
  ['percent-encoded bytes that are not UTF-8', '/job/%ff%fe', [400], 'malformed'],
  ['an overlong slash', '/config/%c0%af', [400], 'malformed'],
  ['overlong dots', '/config/%c0%ae%c0%ae/x', [400], 'malformed'],
  ['a surrogate as CESU-8', '/config/%ed%a0%80', [400], 'malformed'],
  ['dot segments', '/config/../admin', [404], 'There is no configuration'],
  ['encoded dot segments', '/config/%2e%2e%2fadmin', [404], 'There is no configuration'],
  ['backslashes', '/config/..%5c..%5cetc', [404], 'There is no configuration'],
  ['a semicolon', '/admin;jsessionid=1', [404], 'There is nothing'],
  ['two slashes', '//admin', [404], 'There is nothing'],
  ['capitals', '/Admin', [404], 'There is nothing'],
  ['an encoded letter', '/%61dmin', [404, 200], ''],
  ['an absolute-form target of another site', 'http://evil.test/admin', [403], 'evil.test'],
  ['a path of the file system', '/etc/passwd', [404], 'There is nothing'],
  ['a path that leaves /docs', '/docs/..%2f..%2f..%2fpackage.json', [404], 'There is nothing'],
  ['a property of Object.prototype', '/config/default/__proto__', [404], 'has no property'],
  ['a method of Object.prototype', '/config/default/toString', [404], 'has no property'],
  ['a configuration called constructor', '/config/constructor', [404], 'There is no configuration'],
  ['a job called __proto__', '/job/__proto__', [404], 'There is no job'],
  ['a seed list called __proto__', '/seed/__proto__', [404], 'There is no seed list'],
];

const heads: [string, string, readonly number[], string][] = [
  ['no Host', `GET /admin HTTP/1.1\r\n${close}\r\n`, [400], '0 Host headers'],
  ['two Hosts', `GET /admin HTTP/1.1\r\n${host}${host}${close}\r\n`, [400], '2 Host headers'],
  ['two Hosts that differ', `GET /admin HTTP/1.1\r\n${host}Host: evil.test\r\n${close}\r\n`, [400], '2 Host headers'],
  ['a foreign Host', `GET /admin HTTP/1.1\r\nHost: evil.test\r\n${close}\r\n`, [403], 'evil.test'],
  [
    'a Host that begins with our address',
    `GET /admin HTTP/1.1\r\nHost: 127.0.0.1.evil.test\r\n${close}\r\n`,
    [403],
    'evil.test',
  ],
  [
    'a Host with user information',
    `GET /admin HTTP/1.1\r\nHost: localhost@evil.test\r\n${close}\r\n`,
    [403],
    'evil.test',
  ],
  ['a Host with a path', `GET /admin HTTP/1.1\r\nHost: localhost/evil\r\n${close}\r\n`, [403], 'localhost/evil'],
  ['a Host with markup', `GET /admin HTTP/1.1\r\nHost: <script>\r\n${close}\r\n`, [403], 'ALLOWED_HOSTS'],
  ['a header without a name', get('/admin', ': x\r\n'), [400], 'not HTTP'],
  ['a header without a colon', get('/admin', 'Broken\r\n'), [400], 'not HTTP'],
  ['a space before the colon of a header', get('/admin', 'X-A : b\r\n'), [400], 'not HTTP'],
  ['a folded header', get('/admin', 'X-A: b\r\n c\r\n'), [200, 400], ''],
  ['a NUL in a header', get('/admin', 'X-A: b\0c\r\n'), [400], 'not HTTP'],
  ['headers of 20 KiB', get('/admin', `X-A: ${'b'.repeat(20_000)}\r\n`), [431], '16384 bytes'],
  [
    '3,000 headers',
    get('/admin', Array.from({ length: 3_000 }, (_, n) => `X-${n}: b\r\n`).join('')),
    [431],
    '16384 bytes',
  ],
  ['an Expect other than 100-continue', get('/admin', 'Expect: 200-ok\r\n'), [417], '100-continue'],
];

const lengths: [string, string, readonly number[], string][] = [
  ['two Content-Length headers', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{} '), [400], 'not HTTP'],
  [
    'Content-Length with Transfer-Encoding',
    post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '{}'),
    [400],
    'not HTTP',
  ],
  ['a negative Content-Length', post('Content-Length: -1\r\n', '{}'), [400], 'not HTTP'],
  ['a Content-Length in words', post('Content-Length: two\r\n', '{}'), [400], 'not HTTP'],
  ['a Content-Length with a sign', post('Content-Length: +2\r\n', '{}'), [400], 'not HTTP'],
  ['a Content-Length beyond 64 bits', post('Content-Length: 99999999999999999999999\r\n', '{}'), [400], 'not HTTP'],
  ['a Content-Length of a gigabyte', post('Content-Length: 1000000000\r\n', '{}'), [413], '1048576 bytes'],
  ['a Content-Length that is too short', post('Content-Length: 5\r\n', '{"configId":"x"}'), [400], 'malformed'],
  ['neither Content-Length nor Transfer-Encoding', post('', ''), [400], 'cannot be empty'],
  ['an unknown transfer coding', post('Transfer-Encoding: gzip\r\n', '{}'), [400], 'not HTTP'],
  [
    'chunked that is not the last transfer coding',
    post('Transfer-Encoding: chunked, gzip\r\n', '{}'),
    [400],
    'not HTTP',
  ],
  ['an invalid chunk size', chunked('zz\r\n{}\r\n0\r\n\r\n'), [400], 'not HTTP'],
  ['a negative chunk size', chunked('-2\r\n{}\r\n0\r\n\r\n'), [400], 'not HTTP'],
  ['a chunk size beyond 64 bits', chunked('fffffffffffffffff\r\n{}\r\n0\r\n\r\n'), [400], 'not HTTP'],
  ['a chunk longer than its size', chunked('1\r\n{}\r\n0\r\n\r\n'), [400], 'not HTTP'],
  ['chunk extensions of 64 KiB', chunked(`2;${'a'.repeat(65_536)}\r\n{}\r\n0\r\n\r\n`), [400, 413], ''],
  ['chunked JSON that is broken', chunked('1\r\n{\r\n0\r\n\r\n'), [400], 'JSON'],
];

const rows = (all: typeof lines) => all.map(([name, bytes, status, says]) => ({ name, bytes, status, says }));

export const badWires: readonly BadWire[] = [
  ...rows(lines),
  ...rows(targets.map(([name, target, status, says]) => [name, get(target), status, says])),
  ...rows(heads),
  ...rows(lengths),
];
