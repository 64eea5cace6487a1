import type { ValidationError } from 'class-validator';
import { MASK, isSecret } from '../../core/conf/properties.js';
import { type FieldError, shown } from '../problem.js';

/** Checks whose messages say nothing of a field that is missing. */
const ofGiven: ReadonlySet<string> = new Set([
  'isString',
  'isNumber',
  'isInt',
  'isObject',
  'isArray',
  'minLength',
  'isLength',
]);

/**
 * The errors of a field and of its members, each with a message that names the field, what is allowed, and what was given.
 * @param prefix of field names, such as `args.`
 * @param value the value of the field before conversion to its type
 */
export function fieldErrors(error: ValidationError, prefix: string, value: unknown): FieldError[] {
  const { property, constraints = {}, children = [] } = error;
  const field = prefix + property;
  const named = (why: string): string => (why.startsWith(property) ? prefix + why : `${field}: ${why}`);
  const shownValue = isSecret(property) ? MASK : shown(value);
  const ownErrors = Object.entries(constraints).map(([check, why]) => ({
    field,
    message:
      value === undefined && ofGiven.has(check) ? `${field} is required` : `${named(why)} (given: ${shownValue})`,
  }));
  return [...ownErrors, ...children.flatMap((child) => fieldErrors(child, `${field}.`, child.value))];
}
