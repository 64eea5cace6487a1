import { applyDecorators } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import { OptionalField } from '../openapi/fields.js';

/** The parameter `cursor` of a list that continues after an id (of a job, host, worker, …) of this shape. */
export const IdCursorField = (shape: RegExp, last = 'it'): PropertyDecorator =>
  applyDecorators(
    Matches(shape, { message: 'cursor must be the cursor of an answer' }),
    IsOptional(),
    OptionalField(`\`cursor\` of the previous answer: continues after ${last}.`),
  );
