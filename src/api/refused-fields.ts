/** Problems of the fields of a request, made so that `errors` and the sentence say the same. The field `''` is the body. */
import {
  type FieldError,
  type Problem,
  fieldsInvalid,
  jobArgsInvalid,
  queryInvalid,
  seedListInvalid,
  shown,
  withOptions,
} from './problem.js';

/** A problem of the fields of a request, each named in `errors`. */
export const fieldsRefused = (errors: readonly FieldError[], make: (why: string) => Problem = fieldsInvalid): Problem =>
  withOptions(make(`${[...new Set(errors.map(({ message }) => message))].join('; ')}.`), { errors });

/** A problem of one field. */
export const fieldRefused = (field: string, message: string, make?: (why: string) => Problem): Problem =>
  fieldsRefused([{ field, message }], make);

/** FIELDS_INVALID for the value of a field; the message says what is allowed, and what was given. */
export const valueRefused = (field: string, given: unknown, allowed: string): Problem =>
  fieldRefused(field, `${field} must be ${allowed} (given: ${shown(given)})`);

/** SEED_LIST_INVALID of one field. */
export const seedListRefused = (field: string, message: string): Problem =>
  fieldRefused(field, message, seedListInvalid);

/** JOB_ARGS_INVALID of one argument; the field has the names of the objects around it. */
export const argRefused = (type: string, field: string, message: string): Problem =>
  fieldRefused(field, message, (why) => jobArgsInvalid(type, why));

/** QUERY_INVALID of one field. */
export const queryRefused = (field: string, message: string): Problem => fieldRefused(field, message, queryInvalid);
