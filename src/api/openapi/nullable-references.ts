/**
 * Fields that are null or an object with a schema of its own. Nest describes them by `nullable` beside `allOf`. Read strictly
 * (OpenAPI 3.0.3, "nullable"), that refuses null: all schemas of `allOf` must accept it, and the one that is referred to does not.
 */
import type { OpenAPIObject } from '@nestjs/swagger';

/**
 * Accepts null only. `nullable` needs a `type` beside it: with `object`, generators of validators (Orval for Zod) write an object
 * schema that has no `literal`.
 */
const NULL = { type: 'string', nullable: true, enum: [null] };

/** Describes each of these fields as either of two schemas, in place. */
export function allowNull(document: OpenAPIObject): void {
  rewrite(document);
}

function rewrite(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const schema = node as { nullable?: unknown; type?: unknown; allOf?: unknown; oneOf?: unknown };
  if (schema.nullable === true && Array.isArray(schema.allOf)) {
    const [only] = schema.allOf;
    schema.oneOf = [schema.allOf.length === 1 ? only : { allOf: schema.allOf }, NULL];
    delete schema.allOf;
    delete schema.nullable;
    delete schema.type;
  }
  Object.values(node).forEach(rewrite);
}
