/**
 * The body of `PUT /config/{id}/{property}` as a form. Decorators give all media types of a body one schema; a form has a field
 * `value`, the other two types are the value itself.
 */
import type { OpenAPIObject } from '@nestjs/swagger';

const FORM = 'application/x-www-form-urlencoded';

/** Gives the form its schema; changes the document. */
export function describeValueForm(document: OpenAPIObject): void {
  const { requestBody } = document.paths['/config/{id}/{property}']!.put!;
  if (requestBody === undefined || '$ref' in requestBody) return;
  const { schema } = requestBody.content[FORM]!;
  requestBody.content[FORM] = {
    schema: { type: 'object', properties: { value: schema! }, required: ['value'] },
  };
}
