/**
 * The arguments of jobs, as clients send them: 1.x clients send every number as text and mean a flag by its presence,
 * 2.x clients send JSON types. Both are read; what a job does not know is ignored and reported.
 */
import { type ClassConstructor, Transform, plainToInstance } from 'class-transformer';
import { type ValidationError, validate } from 'class-validator';
import { describedArgs } from './described.js';
import { StepError } from './step.js';

/** Reads a flag: any text but "false", "no" and "0", any number but 0, and true mean yes (1.x: presence counts). */
export const flagOf = (given: unknown): unknown => {
  if (typeof given === 'string') return !['false', '0', 'no'].includes(given.trim().toLowerCase());
  if (typeof given === 'number') return given !== 0;
  return given ?? undefined;
};

const numberOf = (given: unknown): unknown => {
  if (given === null) return undefined;
  return typeof given === 'string' && /^\s*[+-]?\d{1,18}\s*$/.test(given) ? Number(given) : given;
};

const textOf = (given: unknown): unknown => {
  if (given === null) return undefined;
  return typeof given === 'number' ? String(given) : given;
};

export const AsFlag = (): PropertyDecorator => Transform(({ value }) => flagOf(value));
export const AsNumber = (): PropertyDecorator => Transform(({ value }) => numberOf(value));
export const AsText = (): PropertyDecorator => Transform(({ value }) => textOf(value));

/** A path of plain names, as 1.x clients write segments. */
const SEGMENT_PATH = /^(?:[A-Za-z0-9._-]*\/)+([A-Za-z0-9][A-Za-z0-9._:-]*)\/?$/;

export const segmentOf = (given: unknown): unknown => {
  const text = textOf(given);
  return typeof text === 'string' && !text.includes('..') ? text.replace(SEGMENT_PATH, '$1') : text;
};

/** Reads the name of a segment: alone or at the end of a path (`k1/segments/20251121093000`). */
export const AsSegment = (): PropertyDecorator => Transform(({ value }) => segmentOf(value));

/** A batch id: what GENERATE answered, or a caller's own; also `-all`. */
export const BATCH_ID = /^[A-Za-z0-9_-][A-Za-z0-9._:-]{0,127}$/;

export interface CheckedArgs<A> {
  args: A;
  /** Arguments that this job type does not know. They are kept in the job's echo and change nothing. */
  unknown: string[];
  errors: ValidationError[];
}

/** Reads and checks arguments without throwing. */
export async function checkArgs<A extends object>(
  type: ClassConstructor<A>,
  given: Record<string, unknown>,
): Promise<CheckedArgs<A>> {
  const args = plainToInstance(type, given, { exposeUnsetFields: false });
  const errors = await validate(args, { forbidUnknownValues: false });
  return { args, errors, unknown: Object.keys(given).filter((name) => !knownArgs(type).has(name)) };
}

/** Reads arguments that were checked when the job was created. */
export async function readArgs<A extends object>(
  type: ClassConstructor<A>,
  given: Record<string, unknown>,
): Promise<A> {
  const { args, errors } = await checkArgs(type, given);
  if (errors.length > 0)
    throw new StepError(`the arguments of the job are not valid: ${errors.join('; ')}`, 'ARGS_INVALID');
  return args;
}

const known = new WeakMap<object, ReadonlySet<string>>();

/** The argument names of a job type: those that its class describes, and those that it names besides (`names`). */
export function knownArgs(type: ClassConstructor<object>): ReadonlySet<string> {
  let names = known.get(type);
  if (!names) {
    const described = describedArgs.filter(({ of }) => of === type.prototype).map(({ name }) => String(name));
    known.set(type, (names = new Set([...described, ...((type as { names?: readonly string[] }).names ?? [])])));
  }
  return names;
}
