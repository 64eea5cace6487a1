/** The routes of a server as its document lists them, so that tests cover the current routes. */
import type { OpenAPIObject } from '@nestjs/swagger';

export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  type?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  example?: unknown;
  nullable?: boolean;
}

interface Parameter {
  name: string;
  in: string;
  schema?: Schema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }> };
  responses: Record<string, { description: string }>;
}

export interface Route {
  /** Upper case. */
  method: string;
  /** With `{name}` for a parameter. */
  path: string;
  name: string;
  pathParameters: string[];
  query: Parameter[];
  /** Whether it may be repeated with an `Idempotency-Key`. */
  repeatable: boolean;
  /** The schema of its JSON body; undefined when it takes none. */
  body: Schema | undefined;
  /** A valid body, from the examples of the document. */
  example: unknown;
  /** Whether the body may be any text. */
  takesText: boolean;
  /** Codes of the problems that the document names for it. */
  problems: ReadonlySet<string>;
}

/** The routes of a document, references of bodies resolved. */
export function routesOf(document: OpenAPIObject): Route[] {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Operation>).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      const parameters = operation.parameters ?? [];
      const content = operation.requestBody?.content ?? {};
      const json = content['application/json'];
      const body = json && resolved(json.schema, schemas);
      return {
        method,
        path,
        name: `${method} ${path}`,
        pathParameters: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
        query: parameters.filter((one) => one.in === 'query'),
        repeatable: parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key'),
        body,
        example: Object.values(json?.examples ?? {})[0]?.value ?? (body && exampleOf(body, schemas)),
        takesText: 'text/plain' in content,
        problems: problemsOf(operation),
      };
    }),
  );
}

const problemsOf = ({ responses }: Operation): Set<string> =>
  new Set(Object.values(responses).flatMap(({ description }) => description.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []));

/** A schema with its own reference and those of its parts resolved; of alternatives the first. */
function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  const own = schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
  const parts = [...(own.allOf ?? []), ...(own.oneOf?.slice(0, 1) ?? [])].map((part) => resolved(part, schemas));
  if (parts.length === 0) return own;
  const members = parts.flatMap(({ properties = {} }) => Object.entries(properties));
  const known = members.map(([name, one]) => [name, one.$ref ? { ...resolved(one, schemas), ...one } : one]);
  const { type } = parts[0]!;
  return {
    ...own,
    ...(type && { type }),
    ...(known.length > 0 && { properties: Object.fromEntries(known) }),
  } as Schema;
}

function exampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { properties, example } = resolved(schema, schemas);
  if (example !== undefined || !properties) return example;
  const members = Object.entries(properties).map(([name, property]) => [name, valueOf(property, schemas)]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function valueOf(property: Schema, schemas: Record<string, Schema>): unknown {
  if (property.example !== undefined) return property.example;
  if (property.$ref || property.allOf) return exampleOf(property, schemas);
  return property.items?.$ref ? [exampleOf(property.items, schemas)] : undefined;
}

/** The members of a body whose JSON type the document states. */
export const fieldsOf = (route: Route): [name: string, schema: Schema][] =>
  Object.entries(route.body?.properties ?? {}).filter(([, { type, enum: words }]) => type !== undefined || words);

/** The address of a route with its parameters filled in. */
export const addressOf = (route: Route, values: Record<string, string> = {}): string =>
  route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'no-such-thing');
