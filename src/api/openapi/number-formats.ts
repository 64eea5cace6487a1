/**
 * The sizes of numbers (OpenAPI 3.0.3, "Data Types"). Without a format, clients that are generated in Java or Go read whole numbers into
 * 32 bits and others into floats of 32 bits: times in milliseconds, and the bytes of a large crawl, do not fit.
 */
import { MAX_INT32 } from '../../core/int32.js';

interface NumberSchema {
  type?: unknown;
  format?: string;
  maximum?: number;
}

/** Adds the format of each number that may need more than 32 bits, in place; called with the whole document. */
export function addNumberFormats(node: object): void {
  const schema = node as NumberSchema;
  if (schema.type === 'number') schema.format ??= 'double';
  if (schema.type === 'integer' && (schema.maximum ?? Infinity) > MAX_INT32) schema.format ??= 'int64';
  for (const [name, value] of Object.entries(node) as [string, unknown][])
    if (typeof value === 'object' && value !== null && !name.startsWith('example')) addNumberFormats(value);
}
