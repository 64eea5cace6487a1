import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { OptionalField } from '../openapi/fields.js';

/** An optional text of at most `maxLength` characters. */
export const OptionalText = (maxLength: number, description: string, example?: string): PropertyDecorator =>
  applyDecorators(IsString(), MaxLength(maxLength), IsOptional(), OptionalField(description, example, { maxLength }));
