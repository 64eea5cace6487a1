import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { readJsonLdPage } from '../../src/core/json-ld.js';

function read(document: unknown, conf: Partial<typeof defaults> = {}) {
  const type = 'application/ld+json';
  const page = { url: 'http://site.test/dir/doc', contentType: type };
  const content = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
  const { title, text, outlinks, status } = readJsonLdPage({ content, page, type, props: { ...defaults, ...conf } });
  return { title, text, links: outlinks.map(({ url }) => url), status };
}

describe('the title of a JSON-LD document', () => {
  it.each<[rule: string, document: unknown, title: string]>([
    ['is the headline rather than the name', { name: 'n', headline: 'h' }, 'h'],
    ['is the name rather than the title', { title: 't', name: 'n' }, 'n'],
    ['is a label of RDF', { 'rdfs:label': 'l' }, 'l'],
    ['is none that is no text', { headline: { '@value': 'h' }, name: 'n' }, 'n'],
    ['is that of the first object of an array', [{ name: 'a' }, { name: 'b' }], 'a'],
    ['is that of the first object of a graph', { '@graph': [{ name: 'a' }, { name: 'b' }] }, 'a'],
    ['is the own one rather than that of the graph', { name: 'a', '@graph': [{ name: 'b' }] }, 'a'],
    ['is none of a graph in which an array is first', { '@graph': [[{ name: 'a' }]] }, ''],
    ['has its white space collapsed', { name: ' a \n b ' }, 'a b'],
    ['is none of a text', '"a"', ''],
  ])('%s', (_rule, document, title) => expect(read(document).title).toBe(title));

  it('has parser.title.limit characters at most', () => {
    expect(read({ name: 'abcdef' }, { 'parser.title.limit': 3 }).title).toBe('abc');
  });
});

describe('the text of a JSON-LD document', () => {
  it.each<[rule: string, document: unknown, text: string]>([
    ['has a line for each value, in the order of the document', { b: 'x', a: ['y', 'z'], c: { d: 'w' } }, 'x\ny\nz\nw'],
    ['has no values of keywords', { '@context': 'c', '@type': 't', '@language': 'de', a: 'x' }, 'x'],
    ['has values, lists and sets', { a: { '@value': 'x' }, b: { '@list': ['y'] }, c: { '@set': ['z'] } }, 'x\ny\nz'],
    ['has no identifiers', { '@id': 'urn:x', identifier: '1', sku: '2', 'schema:identifier': '3' }, ''],
    ['has no dates and times', { datePublished: '1', birthDate: '2', 'schema:dateModified': '3', startTime: '4' }, ''],
    ['has no languages, formats and digests', { inLanguage: 'de', encodingFormat: 'a/b', sha256: 'c' }, ''],
    ['has no numbers, booleans and nulls', { a: 1, b: true, c: null }, ''],
    ['has URLs of no web page', { a: 'mailto:a@b.test', b: 'urn:x' }, 'mailto:a@b.test\nurn:x'],
    ['has texts that contain a URL', { a: 'see http://a.test/' }, 'see http://a.test/'],
    ['has a lone surrogate replaced', '{"a":"\\ud800"}', '\uFFFD'],
  ])('%s', (_rule, document, text) => expect(read(document).text).toBe(text));

  it('has parser.text.limit characters at most', () => {
    expect(read(['ab', 'cd', 'ef'], { 'parser.text.limit': 4 }).text).toBe('ab\nc');
  });
});

describe('the links of a JSON-LD document', () => {
  it.each<[rule: string, document: unknown, links: string[]]>([
    [
      'are its URLs of web pages',
      { a: 'http://a.test/', b: ['HTTPS://b.test/x'] },
      ['http://a.test/', 'https://b.test/x'],
    ],
    ['are its identifiers that are URLs', { '@id': 'http://a.test/1' }, ['http://a.test/1']],
    [
      'are relative ones of url and contentUrl',
      { url: '../a', contentUrl: 'b' },
      ['http://site.test/a', 'http://site.test/dir/b'],
    ],
    ['are no relative ones of others', { image: 'a.png' }, []],
    ['are no contexts', { '@context': 'http://schema.org/' }, []],
    [
      'are no URLs with white space, brackets or quotes',
      ['http://a.test/ b', 'http://a.test/<', 'http://a.test/"'],
      [],
    ],
    ['have 4,096 characters at most', [`http://a.test/${'b'.repeat(4_082)}`], [`http://a.test/${'b'.repeat(4_082)}`]],
    ['have no more', { url: `http://a.test/${'b'.repeat(4_083)}` }, []],
  ])('%s', (_rule, document, links) => expect(read(document).links).toEqual(links));

  it('are as many as db.max.outlinks.per.page.cap allows', () => {
    const urls = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3'];
    expect(read(urls, { 'db.max.outlinks.per.page.cap': 2 }).links).toEqual(urls.slice(0, 2));
  });
});

it('a document that is no JSON fails with the reason', () => {
  expect(read('{"a":}').status).toMatchObject({
    minor: 203,
    args: [`no JSON: Unexpected token '}', "{"a":}" is not valid JSON`],
  });
});
