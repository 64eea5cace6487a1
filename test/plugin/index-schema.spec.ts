import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { type DocumentField, mappedFields } from '../../src/core/indexing/document-fields.js';
import { documentJson } from '../../src/core/indexing/document-json.js';
import { mapped } from '../../src/core/indexing/field-mapping.js';
import type { FieldValue } from '../../src/core/indexing/index-document.js';
import type { IndexPage } from '../../src/core/indexing/index-page.js';
import { bulkMapping, jsonSchema, solrSchema } from '../../src/core/indexing/index-schema.js';
import { addField } from '../../src/core/indexing/indexing-filter.js';
import { documentFields } from '../../src/plugin/document-fields.js';
import { makeIndexing } from '../../src/plugin/indexing-filters.js';
import { pluginsFor } from '../../src/plugin/registry.js';

/** Schemas of engines: they contain every field of a document that all filters have added to, with its type. */

const PARAMS = {
  'plugin.includes':
    'index-.*|language-identifier|headings|subcollection|mimetype-filter|scoring-opic|indexer-solr|urlnormalizer-pass',
  'indexer.add.domain': 'true',
  'moreIndexingFilter.mapMimeTypes': 'true',
  'moreIndexingFilter.mapMimeTypes.field': 'kind',
  'moreIndexingFilter.mapMimeTypes.rules': 'web page\ttext/html',
  'index.db.md': 'seedmd',
  'index.parse.md': 'metatag.author',
  'index.content.md': 'Server',
  'index.metadata': 'description',
  'index.static': 'source:ours theirs,count:1',
  'index.replace.regexp': 'host:site=/^www.//\ntstamp:when=/x/y/\nsite:sites=/x/y/',
  'subcollections.rules': `<subcollections>
    <subcollection><name>all</name><whitelist>http</whitelist><blacklist/></subcollection>
    <subcollection><name>some</name><key>part</key><whitelist>http</whitelist><blacklist/></subcollection>
  </subcollections>`,
};
const { conf, problems } = parseConf(PARAMS);

const PAGE: IndexPage = {
  key: 'org.example.www:http/a',
  url: 'http://www.example.org/a',
  representative: 'http://www.example.org/a',
  status: 2,
  title: 'A title',
  text: 'words',
  type: 'text/html',
  headers: {
    server: 'nginx',
    'last-modified': 'Fri, 02 Jan 2026 00:00:00 GMT',
    'content-disposition': 'inline; filename="a.html"',
  },
  contentLength: 12,
  content: null,
  fetchTime: Date.UTC(2026, 0, 2),
  lastModified: null,
  score: 4,
  distance: 0,
  signature: '0a',
  batchId: 'b1',
  segment: '20260102000000',
  metadata: {
    seedmd: 'x\ty',
    'metatag.author': 'a',
    'metatag.description': 'd',
    'caching.forbidden': 'all',
    lang: 'en',
    h1: 'one\ttwo',
  },
  inlinks: [
    { url: 'http://a.net/', anchor: 'a' },
    { url: 'http://b.net/', anchor: 'b' },
  ],
  outlinks: [{ url: 'http://c.net/', anchor: 'c' }],
};

const document = makeIndexing(conf)(PAGE)!;
addField(document, 'binaryContent', '<html>');
const fields = documentFields(conf);
const fieldOf = (name: string, among: readonly DocumentField[] = fields) => among.find((field) => field.name === name);

const isOf = ({ type }: DocumentField, value: FieldValue): boolean => {
  if (type === 'date') return value instanceof Date;
  if (type === 'integer' || type === 'float') return typeof value === 'number';
  return true;
};

describe('the known fields of index documents', () => {
  it('include those of every built-in filter', () => {
    expect(problems).toEqual([]);
    const dropping = ['mimetype-filter', 'index-jexl-filter'];
    const active = pluginsFor('makeIndexingFilter').filter(({ id }) => !dropping.includes(id));
    const without = active.filter(({ id }) => {
      const own = parseConf({ ...PARAMS, 'plugin.includes': `index-basic|${id}` }).conf;
      const basic = parseConf({ ...PARAMS, 'plugin.includes': id === 'index-basic' ? 'none' : 'index-basic' }).conf;
      return documentFields(own).length === documentFields(basic).length;
    });
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('are those of a document, with the types of its values', () => {
    const names = [...document.fields.keys()];
    expect(names.filter((name) => !fieldOf(name))).toEqual([]);
    for (const [name, values] of document.fields) {
      const field = fieldOf(name)!;
      expect({ name, types: values.map((value) => isOf(field, value)) }).toEqual({
        name,
        types: values.map(() => true),
      });
      if (values.length > 1) expect({ name, many: field.many }).toEqual({ name, many: true });
    }
    // A keyword is not a text, although either would work.
    const types = Object.fromEntries(fields.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({ url: 'keyword', title: 'text', content: 'text', boost: 'float', site: 'keyword' });
    expect(types).toMatchObject({ when: 'date', contentLength: 'integer', sites: 'keyword', binaryContent: 'stored' });
    expect(fields.filter(({ name }) => !document.fields.has(name)).map(({ name }) => name)).toEqual(['id', 'boost']);
  });

  it('exclude those of inactive filters', () => {
    const few = documentFields(parseConf({ 'plugin.includes': 'index-links', 'index.static': 'a:b' }).conf);
    expect(few.map(({ name }) => name)).toEqual([
      'id',
      'digest',
      'batchId',
      'segment',
      'boost',
      'binaryContent',
      'inlinks',
      'outlinks',
    ]);
  });

  it('have the names that the mapping of a writer gives them', () => {
    const mapping = {
      copy: [['title', ['name', 'content']]],
      rename: [
        ['url', 'link'],
        ['host', 'url'],
      ],
      remove: ['segment', 'name'],
    } as const;
    const theirs = mappedFields(fields, mapping);
    const sent = Object.keys(documentJson(mapped(document, mapping)));
    expect(sent.filter((name) => !fieldOf(name, theirs))).toEqual([]);
    expect(['segment', 'name', 'host'].filter((name) => fieldOf(name, theirs))).toEqual([]);
    expect(fieldOf('content', theirs)).toEqual({ name: 'content', type: 'text', many: true });
  });
});

describe('the schema for an engine', () => {
  it('of Solr adds each field except id, with the types of its configuration set _default', () => {
    const added = (solrSchema(fields) as { 'add-field': { name: string }[] })['add-field'];
    expect(added.map(({ name }) => name)).toEqual(fields.flatMap(({ name }) => (name === 'id' ? [] : name)));
    expect(added).toContainEqual({
      name: 'anchor',
      type: 'text_general',
      indexed: true,
      stored: true,
      multiValued: true,
    });
    expect(added).toContainEqual({ name: 'tstamp', type: 'pdate', indexed: true, stored: true, multiValued: false });
    expect(added).toContainEqual(expect.objectContaining({ name: 'binaryContent', indexed: false, docValues: false }));
  });

  it('of Elasticsearch and OpenSearch maps each field', () => {
    const { mappings } = bulkMapping(fields) as { mappings: { properties: Record<string, object> } };
    expect(Object.keys(mappings.properties)).toEqual(fields.map(({ name }) => name));
    expect(mappings.properties).toMatchObject({
      id: { type: 'keyword', ignore_above: 8_191 },
      content: { type: 'text' },
      date: { type: 'date' },
      contentLength: { type: 'long' },
      boost: { type: 'float' },
      binaryContent: { type: 'text', index: false },
    });
  });

  it('of JSON lines allows a single value or an array of values', () => {
    const { properties, required } = jsonSchema(fields) as { properties: Record<string, object>; required: string[] };
    expect(required).toEqual(['id']);
    expect(Object.keys(documentJson(document)).filter((name) => !(name in properties))).toEqual([]);
    expect(properties).toMatchObject({
      title: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      tstamp: { type: 'string', format: 'date-time' },
      contentLength: { type: 'integer' },
      deleted: { const: true },
    });
  });
});
