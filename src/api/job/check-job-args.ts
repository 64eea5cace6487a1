/** Checks the arguments of a new job against those of its step, so that errors are reported to the client. */
import type { JobType } from '../../core/job/job-types.js';
import { checkArgs } from '../../cycle/args.js';
import { jobArgsInvalid } from '../problem.js';
import { argRefused, fieldsRefused } from '../refused-fields.js';
import { fieldErrors } from '../request/field-errors.js';
import { argsByType } from './args-by-type.js';
import { refuseSeedsTwice } from './job-lists.js';

/** Maximum number of characters of all arguments of a job, names and values as JSON. */
const MAX_ARGS_LENGTH = 262_144;
/** Arguments of which a job needs one, besides those that name seeds (job-lists.ts). */
const NEEDS_ONE_OF: Partial<Record<JobType, readonly string[]>> = {
  MERGESEGS: ['segment', 'segment_dir', 'segments_dir', 'dir'],
};
/** Characters of a name that a message repeats. */
const MAX_NAME_LENGTH = 100;

/**
 * The arguments as the step reads them, and the names of those that it does not know. Throws JOB_ARGS_INVALID.
 * @param at prefix of the arguments' field names in the request, for messages
 */
export async function checkJobArgs(
  type: JobType,
  rawArgs: Record<string, unknown>,
  at: string,
): Promise<{ read: object; unknown: string[] }> {
  refuseLarge(type, rawArgs, at);
  refuseSeedsTwice(type, rawArgs, at);
  const { args, errors, unknown } = await checkArgs(argsByType[type], rawArgs);
  if (errors.length === 0) {
    refuseMissing(type, args, at);
    return { read: args, unknown };
  }
  const fields = errors.flatMap((error) => fieldErrors(error, at, rawArgs[error.property]));
  throw fieldsRefused(fields, (why) => jobArgsInvalid(type, why));
}

function refuseMissing(type: JobType, read: object, at: string): void {
  const names = NEEDS_ONE_OF[type];
  if (names === undefined || names.some((name) => (read as Record<string, unknown>)[name] !== undefined)) return;
  throw argRefused(type, `${at}${names[0]}`, `one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)} is required`);
}

/** Arguments are stored, and returned with each job of a list. `seed` is not: it becomes a list, or is dropped. */
function refuseLarge(type: JobType, args: Record<string, unknown>, at: string): void {
  const kept = Object.entries(args).filter(([name]) => name !== 'seed');
  const sizes = kept.map(([name, arg]) => ({ name, size: name.length + (JSON.stringify(arg)?.length ?? 0) }));
  const size = sizes.reduce((sum, arg) => sum + arg.size, 0);
  if (size <= MAX_ARGS_LENGTH) return;
  const largest = sizes.reduce((a, b) => (b.size > a.size ? b : a));
  const field = `${at}${largest.name.slice(0, MAX_NAME_LENGTH)}`;
  const message = `${field} has ${largest.size} characters with its name; the arguments of a job may have ${MAX_ARGS_LENGTH} together, as JSON`;
  throw argRefused(type, field, message);
}
