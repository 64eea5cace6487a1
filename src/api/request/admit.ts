/** Reads a body or a query into its DTO. Invalid values cause a 400 that names each invalid field and what is allowed. */
import 'reflect-metadata';
import { type ExecutionContext, createParamDecorator } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { Request } from 'express';
import { type FieldError, type Problem, fieldsInvalid, shown } from '../problem.js';
import { fieldRefused, fieldsRefused } from '../refused-fields.js';
import { fieldErrors } from './field-errors.js';

const MAX_ERRORS = 20;

/** A validated value, and the names of its unknown members. */
export interface Admitted<T> {
  value: T;
  unknown: string[];
}

/**
 * Reads a value of a request as a DTO class. Unknown members are omitted and named in `unknown`. Throws FIELDS_INVALID, or the
 * problem that `refuse` returns for the same message, which names each field, what was given, and what is allowed.
 * @param at prefix of field names in messages, such as `args`
 */
export function admit<T extends object>(
  type: new () => T,
  input: unknown,
  at = '',
  refuse: (why: string) => Problem = fieldsInvalid,
): Admitted<T> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw fieldRefused(at, `${at || 'The body'} must be an object; given: ${shown(input)}`, refuse);
  }
  const raw = input as Readonly<Record<string, unknown>>;
  const refused = refusedAsGiven(type, raw, at);
  const named = new Set(refused.map(({ field }) => field));
  // Conversion fails on some of the refused values: an object with a `toString` that is no function is converted to no number.
  const others = Object.entries(raw).filter(([name]) => !named.has(fieldOf(name, at)));
  const value = plainToInstance(type, Object.fromEntries(others), { exposeDefaultValues: true });
  const invalid = validateSync(value, { whitelist: true, forbidUnknownValues: false, stopAtFirstError: true });
  const errors = invalid.flatMap((error) => fieldErrors(error, at && `${at}.`, raw[error.property]));
  const fields = [...refused, ...errors.filter(({ field }) => !named.has(field))].slice(0, MAX_ERRORS);
  if (fields.length > 0) throw fieldsRefused(fields, refuse);
  return { value, unknown: Object.keys(input).filter((name) => !Object.hasOwn(value, name)) };
}

/** Reads a query as a DTO class, as `admit` does. A parameter with one value that is given several times is refused. */
export function admitQuery<T extends object>(type: new () => T, query: Request['query']): T {
  const errors = Object.entries(query).flatMap(([name, value]) =>
    Array.isArray(value) && isSingle(type, name)
      ? [{ field: name, message: `${name} is given ${value.length} times; give it once` }]
      : [],
  );
  if (errors.length > 0) throw fieldsRefused(errors);
  return admit(type, query).value;
}

const designOf = (type: new () => object, name: string): unknown =>
  Reflect.getMetadata('design:type', type.prototype as object, name);
const isSingle = (type: new () => object, name: string): boolean => {
  const design = designOf(type, name);
  return design !== undefined && design !== Array;
};

const queryAs = createParamDecorator((type: new () => object, context: ExecutionContext) =>
  admitQuery(type, context.switchToHttp().getRequest<Request>().query),
);

/** The query of a request, validated and described by a DTO class. */
export const AdmittedQuery =
  (type: new () => object): ParameterDecorator =>
  (target, name, index) => {
    queryAs(type)(target, name, index);
    ApiQuery({ type })(target, name!, Object.getOwnPropertyDescriptor(target, name!)!);
  };

const fieldOf = (name: string, at: string): string => (at === '' ? name : `${at}.${name}`);

const NUMBER_TEXT = /^\s*[+-]?\d{1,20}(?:\.\d{1,20})?\s*$/;

/**
 * Errors of values as given, before conversion to their type. Numbers may be given as text, as in queries; but true, [], ""
 * and "0x10" are not numbers, although JavaScript converts them. PostgreSQL cannot store text with NUL.
 */
function refusedAsGiven(type: new () => object, raw: Readonly<Record<string, unknown>>, at: string): FieldError[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    const isNumber = designOf(type, name) === Number;
    const why = errorOf(value, isNumber);
    const field = fieldOf(name, at);
    return why === undefined ? [] : [{ field, message: `${field} ${why} (given: ${shown(value)})` }];
  });
}

function errorOf(value: unknown, isNumber: boolean): string | undefined {
  if (typeof value === 'string' && value.includes('\0')) return 'must not have a NUL character';
  if (!isNumber || value === null || value === undefined || typeof value === 'number') return undefined;
  return typeof value === 'string' && NUMBER_TEXT.test(value) ? undefined : 'must be a number';
}
