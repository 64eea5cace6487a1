/** Schemas for the fields of documents, which an engine needs before the first document. */
import type { DocumentField, FieldType } from './document-fields.js';

type Json = Record<string, unknown>;

/** The engines index at most 32,766 bytes as one term; a character may take four bytes. */
const IGNORE_ABOVE = 8_191;

/** Types of Solr's configuration set `_default`. */
const SOLR_TYPES: Readonly<Record<FieldType, string>> = {
  keyword: 'string',
  text: 'text_general',
  integer: 'plong',
  float: 'pfloat',
  date: 'pdate',
  stored: 'string',
};

/** A request to Solr's Schema API; `id` is predefined there. */
export const solrSchema = (fields: readonly DocumentField[]): Json => ({
  'add-field': fields
    .filter(({ name }) => name !== 'id')
    .map(({ name, type, many }) => ({
      name,
      type: SOLR_TYPES[type],
      indexed: type !== 'stored',
      stored: true,
      multiValued: many,
      ...(type === 'stored' && { docValues: false }),
    })),
});

const MAPPINGS: Readonly<Record<FieldType, Json>> = {
  keyword: { type: 'keyword', ignore_above: IGNORE_ABOVE },
  text: { type: 'text' },
  integer: { type: 'long' },
  float: { type: 'float' },
  date: { type: 'date' },
  stored: { type: 'text', index: false },
};

/** The request body that creates an index in Elasticsearch or OpenSearch. Any field may have several values there. */
export const bulkMapping = (fields: readonly DocumentField[]): Json => ({
  mappings: { properties: byName(fields, ({ type }) => MAPPINGS[type]) },
});

const JSON_TYPES: Readonly<Record<FieldType, Json>> = {
  keyword: { type: 'string' },
  text: { type: 'string' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  date: { type: 'string', format: 'date-time' },
  stored: { type: 'string' },
};

/** JSON Schema of a line, or of a document in a request: a single value as it is, several in an array. */
export const jsonSchema = (fields: readonly DocumentField[]): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['id'],
  properties: {
    ...byName(fields, ({ type, many }) =>
      many ? { anyOf: [JSON_TYPES[type], { type: 'array', items: JSON_TYPES[type] }] } : JSON_TYPES[type],
    ),
    deleted: { const: true, description: 'The document with this id has left the index.' },
  },
});

const byName = (fields: readonly DocumentField[], valueOf: (field: DocumentField) => Json): Json =>
  Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
