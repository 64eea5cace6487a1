/** The calls of openapi.json with their examples, as Swagger UI fills them in. */
import { readFileSync } from 'node:fs';
import type { NullableSchema } from './refused-nulls.js';

export interface Schema extends NullableSchema {
  minimum?: number;
  maximum?: number;
  pattern?: string;
  example?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  example?: unknown;
  schema?: Schema;
}
interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
export interface Operation {
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description?: string; content?: Record<string, Media> }>;
}
interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}
export interface Call {
  method: string;
  address: string;
  headers: Record<string, string>;
  body?: string;
}

export const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as ApiDocument;
const resolved = (schema: Schema): Schema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1)!] ?? {}) : schema;

/** What Swagger UI writes where a schema has neither an example nor a default: no field of a body is left out. */
const PLACEHOLDERS: Record<string, unknown> = { string: 'string', number: 0, integer: 0, boolean: true };

/** The value that Swagger UI puts into a body: the example, else the default, else the values of the parts of the schema. */
function valueOf(given: Schema): unknown {
  const schema = resolved(given);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.oneOf) return valueOf(schema.oneOf[0]!);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(valueOf));
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, valueOf(property)]));
  if (schema.type === 'array' && schema.items) return [valueOf(schema.items)];
  return schema.enum?.[0] ?? PLACEHOLDERS[schema.type ?? ''];
}

export function callsOf(method: string, path: string, { parameters = [], requestBody, responses }: Operation): Call[] {
  let address = path;
  const query = new URLSearchParams();
  const media = Object.keys(responses['200']?.content ?? {})[0];
  const headers: Record<string, string> = { accept: media ?? '*/*' };
  for (const one of parameters) {
    // A parameter without example or default stays empty.
    const value = one.example ?? one.schema?.example ?? one.schema?.default;
    if (value === undefined) continue;
    if (one.in === 'path') address = address.replace(`{${one.name}}`, encodeURIComponent(String(value)));
    else if (one.in === 'query') query.set(one.name, String(value));
    else headers[one.name] = String(value);
  }
  if (query.size > 0) address += `?${query.toString()}`;
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, content]) =>
    (content.examples
      ? Object.values(content.examples).map(({ value }) => value)
      : [content.example ?? valueOf(content.schema)]
    ).map((value) => ({ method, address, headers: { ...headers, 'content-type': type }, body: encoded(type, value) })),
  );
  return bodies.length > 0 ? bodies : [{ method, address, headers }];
}

/** A body as Swagger UI sends it. */
function encoded(type: string, value: unknown): string {
  if (type === 'application/json') return JSON.stringify(value);
  if (typeof value === 'string') return value;
  return new URLSearchParams(value as Record<string, string>).toString();
}
