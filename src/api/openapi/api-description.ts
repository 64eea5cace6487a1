/** The OpenAPI document of the running server, from which the server also reads the names that an operation accepts. */
import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { CHANGES_STATE } from './changes-state.js';

/** The parts of a schema that concern names. */
interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  allOf?: Schema[];
  oneOf?: Schema[];
}

/** The names that an object of a request may have, each with those of its nested object; undefined: any. */
export type KnownNames = Map<string, KnownNames | undefined>;

interface Pattern {
  shape: RegExp;
  methods: Map<string, { query: KnownNames; body: KnownNames | undefined }>;
  /** Express answers HEAD with the handler of GET, unless that changes state. */
  hasHead: boolean;
}

interface Operation {
  parameters?: { in: string; name: string }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  [CHANGES_STATE]?: boolean;
}

/** The committed file, beside `dist`. */
const FILE = new URL('../../../../openapi.json', import.meta.url);

/** The document of the API, with look-ups for the server itself; in its paths `{name}` matches one segment. */
export class ApiDescription {
  private readonly patterns: readonly Pattern[];

  constructor(readonly document = JSON.parse(readFileSync(FILE, 'utf8')) as OpenAPIObject) {
    this.patterns = Object.entries(document.paths).map(([path, operations]) => ({
      shape: new RegExp(
        `^${path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`,
      ),
      methods: new Map(
        Object.entries(operations as Record<string, Operation>).map(([method, operation]) => [
          method.toUpperCase(),
          { query: queryOf(operation), body: bodyOf(operation, (document.components?.schemas ?? {}) as Schemas) },
        ]),
      ),
      hasHead: operations.get !== undefined && (operations.get as Operation)[CHANGES_STATE] !== true,
    }));
  }

  /** The methods of a path, including HEAD with a GET that changes nothing; empty for an unknown path (404, not 405). */
  methodsAt(path: string): string[] {
    const patterns = this.patterns.filter(({ shape }) => shape.test(path));
    const methods = new Set(patterns.flatMap(({ methods: offered }) => [...offered.keys()]));
    if (patterns.some(({ hasHead }) => hasHead)) methods.add('HEAD');
    return [...methods].sort();
  }

  /** The query parameters and body fields that a call knows; if two path patterns match, those of both. */
  namesOf(method: string, path: string): { query: KnownNames; body: KnownNames | undefined } | undefined {
    const describedMethod = method === 'HEAD' ? 'GET' : method;
    const operations = this.patterns.flatMap(({ shape, methods }) => {
      const names = methods.get(describedMethod);
      return names !== undefined && shape.test(path) ? [names] : [];
    });
    if (operations.length === 0) return undefined;
    return {
      query: new Map(operations.flatMap(({ query }) => [...query])),
      body: united(operations.map(({ body }) => body)),
    };
  }
}

type Schemas = Readonly<Record<string, Schema>>;

/** Deeper objects are not checked. */
const MAX_LEVELS = 3;

const queryOf = ({ parameters = [] }: Operation): KnownNames =>
  new Map(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => [name, undefined]));

function bodyOf({ requestBody }: Operation, schemas: Schemas): KnownNames | undefined {
  const schema = requestBody?.content?.['application/json']?.schema;
  return schema && namesIn(schema, schemas, MAX_LEVELS);
}

/** Undefined if the object may have any name, or the schema is not an object. */
function namesIn(schema: Schema, schemas: Schemas, levels: number): KnownNames | undefined {
  if (schema.$ref !== undefined) return namesIn(schemas[schema.$ref.split('/').at(-1)!] ?? {}, schemas, levels);
  const schemasIn = schema.allOf ?? schema.oneOf;
  if (schemasIn !== undefined) return united(schemasIn.map((member) => namesIn(member, schemas, levels)));
  if (schema.properties === undefined || schema.additionalProperties || levels === 0) return undefined;
  const names = Object.entries(schema.properties);
  return new Map(names.map(([name, property]) => [name, namesIn(property, schemas, levels - 1)]));
}

const united = (parts: readonly (KnownNames | undefined)[]): KnownNames | undefined =>
  parts.some((part) => part === undefined) ? undefined : new Map(parts.flatMap((part) => [...part!]));
