import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { type FieldError, type Problem, fieldsInvalid, shown, withOptions } from '../problem.js';

const mostErrors = 20;

/** A value that was let in, and the names of its members that nobody knows. */
export interface Admitted<T> {
  value: T;
  unknown: string[];
}

/**
 * Reads a value of a request as a DTO class. Members that the class does not know are left out and named in `unknown`.
 * Throws FIELDS_INVALID, or what `refuse` makes of the same sentence, which names each field, what was given, and what
 * is allowed.
 * @param at what stands before the names of fields, such as `args`
 */
export function admit<T extends object>(
  type: new () => T,
  given: unknown,
  at = '',
  refuse: (why: string) => Problem = fieldsInvalid,
): Admitted<T> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refuse(`${at || 'The body'} must be an object; given: ${shown(given)}.`);
  }
  const value = plainToInstance(type, given, { exposeDefaultValues: true });
  const errors = validateSync(value, { whitelist: true, forbidUnknownValues: false, stopAtFirstError: true });
  if (errors.length > 0) {
    const fields = errors.flatMap((error) => fieldErrors(error, at)).slice(0, mostErrors);
    throw withOptions(refuse(`${fields.map(({ message }) => message).join('; ')}.`), { errors: fields });
  }
  return { value, unknown: Object.keys(given).filter((name) => !Object.hasOwn(value, name)) };
}

function fieldErrors(error: ValidationError, at: string): FieldError[] {
  const field = at === '' ? error.property : `${at}.${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({
    field,
    message: `${message.startsWith(error.property) ? field + message.slice(error.property.length) : `${field}: ${message}`} (given: ${shown(error.value)})`,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrors(child, field))];
}
