/** A document as one JSON object: its fields, with `id` and `boost`. */
import type { FieldValue, IndexDocument } from './index-document.js';

type Json = Record<string, unknown>;

/** A field with a single value becomes that value, one with several an array; one without any is left out, `boost` too. */
export function documentJson({ id, boost, fields }: IndexDocument): Json {
  const json: Json = Object.create(null) as Json;
  json['id'] = id;
  for (const [name, values] of fields)
    if (name !== 'id' && values.length > 0)
      json[name] = values.length === 1 ? jsonValue(values[0]!) : values.map(jsonValue);
  if (!fields.has('boost')) json['boost'] = boost;
  return json;
}

const jsonValue = (value: FieldValue): string | number | boolean =>
  typeof value === 'object' ? value.toISOString() : value;
