/** Bodies that are wrong for every route that reads JSON, and values that are wrong for a type of field. */

export interface BadBody {
  name: string;
  body: string | Buffer;
  headers?: Record<string, string>;
  status: number;
  code: string;
  /** Text that the answer must contain. */
  says: string;
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const members = (n: number) => `{${Array.from({ length: n }, (_, at) => `"k${at}":1`).join()}}`;
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

const notJson: [string, string][] = [
  ['an unclosed object', '{"a":'],
  ['unquoted names', '{a:1}'],
  ['single quotes', "{'a':1}"],
  ['a trailing comma', '{"a":1,}'],
  ['an unclosed array', '[1,2'],
  ['NaN', '{"a":NaN}'],
  ['undefined', 'undefined'],
  ['two values', '{"a":1}{"b":2}'],
  ['a comment', '{"a":1}//'],
  ['a line break in a string', '{"a":"b\nc"}'],
  ['an invalid escape', String.raw`{"a":"\x41"}`],
  ['a hexadecimal number', '{"a":0x10}'],
  ['XML', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
  ['YAML', 'a: !!js/function "x"'],
];

const refused: [string, string, string][] = [
  ['65 levels', nested(65), 'nested deeper than 64 levels'],
  ['65 levels of objects', '{"a":'.repeat(65) + '1' + '}'.repeat(65), 'nested deeper than 64 levels'],
  ['half a million brackets', '['.repeat(500_000), 'nested deeper than 64 levels'],
  ['10,001 members', members(10_001), 'more than 10000 members'],
  ['__proto__', '{"__proto__":{"polluted":true}}', '__proto__'],
  ['__proto__ twice', '{"__proto__":{"polluted":true},"__proto__":{"polluted":1}}', '__proto__'],
  ['an escaped __proto__', String.raw`{"\u005f\u005fproto__":{"polluted":true}}`, '__proto__'],
  ['constructor.prototype', '{"constructor":{"prototype":{"polluted":true}}}', 'constructor'],
  ['prototype, deep inside', '{"a":[{"b":{"prototype":{"polluted":true}}}]}', 'prototype'],
  ['a number too large', '{"a":1e309}', 'a number is too large'],
  ['a negative number too large', '{"a":[-1e309]}', 'a number is too large'],
  ['a NUL in a string', String.raw`{"a":"b\u0000c"}`, 'NUL'],
  ['a NUL in a member name', String.raw`{"a\u0000b":1}`, 'NUL'],
];

const notUtf8: [string, Buffer][] = [
  ['invalid start bytes', Buffer.from('{"a":"\xff\xfe"}', 'latin1')],
  ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
  ['an overlong slash', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
  ['an overlong NUL', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')])],
  ['a surrogate as CESU-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])],
  ['a truncated sequence', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')])],
  [
    'a code point beyond U+10FFFF',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xf4, 0x90, 0x80, 0x80]), Buffer.from('"}')]),
  ],
  ['UTF-16 little-endian with a byte order mark', utf16('{"a":1}')],
  ['UTF-16 big-endian with a byte order mark', utf16('{"a":1}').swap16()],
];

const types: [string, Record<string, string>, string][] = [
  ['an image', { 'Content-Type': 'image/png' }, 'image/png'],
  ['HTML', { 'Content-Type': 'text/html' }, 'text/html'],
  ['XML', { 'Content-Type': 'application/xml' }, 'application/xml'],
  ['a multipart form', { 'Content-Type': 'multipart/form-data; boundary=x' }, 'multipart/form-data'],
  [
    'serialized Java objects',
    { 'Content-Type': 'application/x-java-serialized-object' },
    'application/x-java-serialized-object',
  ],
  ['no type at all', { 'Content-Type': '/' }, '/'],
  ['charset utf-16', { 'Content-Type': 'application/json; charset=utf-16' }, 'UTF-8 or ISO-8859-1'],
  ['charset utf-7', { 'Content-Type': 'application/json; charset="utf-7"' }, 'UTF-8 or ISO-8859-1'],
  ['content coding gzip', { 'Content-Encoding': 'gzip' }, 'uncompressed'],
  ['content coding br', { 'Content-Encoding': 'br' }, 'uncompressed'],
  ['three content codings', { 'Content-Encoding': 'gzip, gzip, gzip' }, 'uncompressed'],
];

/** Wrong for every route. */
export const badBodies: readonly BadBody[] = [
  ...notJson.map(([name, body]) => ({
    name,
    body,
    status: 400,
    code: 'BODY_NOT_JSON',
    says: 'cannot be read as JSON',
  })),
  {
    name: 'UTF-16 without a byte order mark',
    body: Buffer.from('{"a":1}', 'utf16le'),
    status: 400,
    code: 'BODY_NOT_JSON',
    says: 'JSON',
  },
  ...refused.map(([name, body, says]) => ({ name, body, status: 400, code: 'BODY_REFUSED', says })),
  ...notUtf8.map(([name, body]) => ({ name, body, status: 400, code: 'BODY_REFUSED', says: 'it is not UTF-8' })),
  ...types.map(([name, headers, says]) => ({
    name,
    body: '{}',
    headers,
    status: 415,
    code: 'MEDIA_TYPE_UNSUPPORTED',
    says,
  })),
];

/** JSON values other than objects; wrong for every route whose body is an object. */
export const noObjects = ['[]', '[{}]', '"text"', '5', 'true', '1e5'];

/** An object that JavaScript cannot convert to a text or a number. */
const unconvertible = { toString: 1, valueOf: 1 };

/** Wrong for a field of this JSON type; a lenient parser would convert each of them. */
export const wrongFor: Readonly<Record<string, readonly unknown[]>> = {
  string: [{ a: 1 }, [1], [], {}, true, 5, unconvertible, [unconvertible]],
  integer: ['many', 1.5, -7, 1e18, [], {}, true, '1e999', '0x10', '١', unconvertible, [unconvertible]],
  number: ['many', [], {}, true, 'NaN', unconvertible],
  boolean: ['maybe', 2, [], {}, 'yes please', unconvertible],
  array: ['text', 5, true, { length: 1 }],
  object: ['text', 5, true, [1]],
};

/** null, alone and nested: some fields treat it as absent, all others refuse it. */
export const nothings: readonly unknown[] = [null, [null], { a: null }];

/** The same for query parameters, which are all text. */
export const wrongInQuery: Readonly<Record<string, readonly string[]>> = {
  integer: ['many', '1.5', '-7', '1e18', '1e999', 'NaN', '0x10', '%D9%A1', '%00', '1;drop', '99999999999999999999'],
  number: ['many', 'NaN', '1;drop'],
  boolean: ['maybe', '2', '%00'],
};

/**
 * Payload families of threat A10, and paths; each does harm where text is interpolated into SQL, a path, a header or a
 * template.
 */
export const payloads: readonly string[] = [
  `'`,
  `"`,
  `'; drop table webpage; --`,
  `' union select version(), null --`,
  `') or ('1'='1`,
  `\\'; delete from job; --`,
  `'/**/or/**/1=1#`,
  `0x27204f5220313d31`,
  `1; select pg_sleep(20)`,
  `$$; drop table crawl_conf; $$`,
  `' || (select set_config('a.b','c',false)) || '`,
  `%' and '%'='`,
  `{"$gt":""}`,
  `../../../../etc/passwd`,
  `..\\..\\windows\\win.ini`,
  `file:///etc/passwd`,
  `/proc/self/environ`,
  `\${jndi:ldap://127.0.0.1/a}`,
  `{{7*7}}<%= 7*7 %>`,
  `<script>alert(1)</script>`,
  `a\r\nSet-Cookie: b=c`,
  `__proto__`,
  `constructor`,
  `hasOwnProperty`,
  `\u202eabc\u2028\ufeff`,
  `nul\0here`,
  `\ud800 alone`,
  `😀`.repeat(100),
  `x`.repeat(5_000),
];
