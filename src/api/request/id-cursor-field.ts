import { applyDecorators } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import { OptionalField } from '../openapi/fields.js';

/** The parameter `cursor` of a list: what an answer gave as its own `cursor`, which has this shape. */
export const CursorField = (shape: RegExp, last = 'it'): PropertyDecorator =>
  applyDecorators(
    Matches(shape, { message: 'cursor must be the cursor of an answer' }),
    IsOptional(),
    OptionalField(`\`cursor\` of the answer before: goes on behind ${last}.`),
  );
