import { Transform } from 'class-transformer';
import { IsBoolean, IsObject, IsOptional, Matches } from 'class-validator';
import { ID_SHAPE } from '../../core/id-shape.js';
import { FieldWithDefault, OptionalField } from '../openapi/fields.js';
import { booleanOf } from '../request/boolean-text.js';
import { mustBeId } from '../request/ids.js';

/** Java clients send null for fields that are not set. */
const unlessNull = <T>(value: T | null): T | undefined => value ?? undefined;
const numberAsText = (value: unknown) => (typeof value === 'number' ? String(value) : value);
/** A blank id means the same as none: the server assigns a number. */
const idOf = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? undefined : numberAsText(unlessNull(value));

/** NutchConfig: a configuration to create from the current `default` and these params. */
export class NutchConfig {
  @OptionalField('Id of the configuration. Blank: the server assigns a sequential number.', 'c1')
  @Transform(({ value }) => idOf(value))
  @IsOptional()
  @Matches(ID_SHAPE, mustBeId)
  configId?: string;

  @FieldWithDefault(false, 'Replace an existing configuration with this id.', true)
  @Transform(({ value }) => booleanOf(unlessNull(value)))
  @IsOptional()
  @IsBoolean()
  force?: boolean;

  @OptionalField(
    'Properties that override those of `default`: text or JSON values by name. docs/properties.md lists them all.',
    { 'http.agent.name': 'bot', 'fetcher.server.delay': '1.0' },
    { type: 'object', additionalProperties: true },
  )
  @Transform(({ value }) => unlessNull(value))
  @IsOptional()
  @IsObject()
  params?: Record<string, unknown>;
}
