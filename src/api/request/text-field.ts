import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { OptionalField } from '../openapi/fields.js';

/** A text of at most so many characters that may be missing. */
export const OptionalText = (maxLength: number, description: string, example?: string): PropertyDecorator =>
  applyDecorators(MaxLength(maxLength), IsString(), IsOptional(), OptionalField(description, example));
