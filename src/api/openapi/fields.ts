/** Decorators that describe fields of bodies and parameters of queries for OpenAPI. */
import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional } from '@nestjs/swagger';

type FieldType = Type<unknown> | [Type<unknown>];

/** Further options of a field, besides its description and its example (omitted if undefined). */
type Further = ApiPropertyOptions;

const described = (description: string, example: unknown, further: Further): ApiPropertyOptions => ({
  description,
  ...(example !== undefined && { example }),
  ...further,
});

/** A field that is always present. */
export const Field = (description: string, example?: unknown, further: Further = {}): PropertyDecorator =>
  ApiProperty(described(description, example, further));

/** A field that may be missing. */
export const OptionalField = (description: string, example?: unknown, further: Further = {}): PropertyDecorator =>
  ApiPropertyOptional(described(description, example, further));

/** A field whose type cannot be read from its declaration: an array, a class. */
export const FieldOf = (type: FieldType, description: string, example?: unknown): PropertyDecorator =>
  Field(description, example, { type });

export const OptionalFieldOf = (type: FieldType, description: string, example?: unknown): PropertyDecorator =>
  OptionalField(description, example, { type });

/** A field that may be missing, and then has this value. */
export const FieldWithDefault = (otherwise: unknown, description: string, example?: unknown): PropertyDecorator =>
  OptionalField(description, example, { default: otherwise });

/** A field that may be null. */
export const FieldOrNull = (type: FieldType, description: string, example?: unknown): PropertyDecorator =>
  Field(description, example, { type, nullable: true });

/** A time in ISO 8601. */
export const TimeField = (description: string, example?: string): PropertyDecorator =>
  Field(description, example, { format: 'date-time' });

export const TimeOrNull = (description: string, example?: string | null): PropertyDecorator =>
  Field(description, example, { type: String, nullable: true, format: 'date-time' });

/** An object with arbitrary member names, and values of this shape. */
export const RecordField = (
  description: string,
  example: unknown,
  additionalProperties: ApiPropertyOptions['additionalProperties'] = true,
): PropertyDecorator => Field(description, example, { type: 'object', additionalProperties });
