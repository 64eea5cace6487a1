import { applyDecorators } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import { OptionalField } from '../openapi/fields.js';

interface Shown {
  default?: string;
  example?: string;
}

/**
 * A query parameter that is one of some words: OpenAPI documents the same words that are checked. Nest keeps the words of a
 * parameter that a class describes in `schema` only.
 */
export const OneWord = (words: readonly string[], description: string, { example, ...shown }: Shown = {}) =>
  applyDecorators(
    IsIn(words),
    IsOptional(),
    OptionalField(description, example, { ...shown, type: String, schema: { enum: [...words] } } as object),
  );
