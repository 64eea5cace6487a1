/** Where a schema refuses the null of an answer, as OpenAPI 3.0.3 is read strictly. */
export interface NullableSchema {
  $ref?: string;
  type?: string;
  nullable?: boolean;
  enum?: unknown[];
  properties?: Record<string, NullableSchema>;
  additionalProperties?: unknown;
  items?: NullableSchema;
  allOf?: NullableSchema[];
  oneOf?: NullableSchema[];
  anyOf?: NullableSchema[];
}

type Schemas = Readonly<Record<string, NullableSchema>>;

/** The paths of all nulls in `value` that the schema refuses. */
export function refusedNulls(value: unknown, given: NullableSchema, schemas: Schemas, path = '$'): string[] {
  const schema = given.$ref ? schemas[given.$ref.split('/').at(-1)!]! : given;
  if (value === null) return acceptsNull(schema, schemas) ? [] : [path];
  if (typeof value !== 'object') return [];
  const inAll = (schema.allOf ?? []).flatMap((one) => refusedNulls(value, one, schemas, path));
  const inEach = (schema.oneOf ?? schema.anyOf ?? []).map((one) => refusedNulls(value, one, schemas, path));
  const inOne = inEach.sort((a, b) => a.length - b.length)[0] ?? [];
  return [...new Set([...inAll, ...inOne, ...refusedWithin(value, schema, schemas, path)])];
}

function refusedWithin(value: object, schema: NullableSchema, schemas: Schemas, path: string): string[] {
  const { items, properties = {}, additionalProperties } = schema;
  const others = typeof additionalProperties === 'object' ? (additionalProperties as NullableSchema) : undefined;
  return Object.entries(value).flatMap(([name, member]) => {
    const of = Array.isArray(value) ? items : (properties[name] ?? others);
    return of === undefined ? [] : refusedNulls(member, of, schemas, `${path}.${name}`);
  });
}

/** `nullable` counts only beside `type`, and all other keywords of the schema must accept null, too. */
export function acceptsNull(given: NullableSchema, schemas: Schemas): boolean {
  if (given.$ref) return acceptsNull(schemas[given.$ref.split('/').at(-1)!]!, schemas);
  const { type, nullable = false, enum: values, allOf = [], oneOf, anyOf } = given;
  const accepts = (one: NullableSchema): boolean => acceptsNull(one, schemas);
  return (
    (type === undefined || nullable) &&
    (values === undefined || values.includes(null)) &&
    allOf.every(accepts) &&
    (oneOf === undefined || oneOf.filter(accepts).length === 1) &&
    (anyOf === undefined || anyOf.some(accepts))
  );
}
