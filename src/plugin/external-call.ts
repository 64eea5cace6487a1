/** Calls of external plugins: whatever their code throws or answers, the caller gets a value that it can use. */
import { reasonOf } from './error-text.js';
import { unawaited } from './unawaited.js';

/** An object from the code of a plugin. */
export type Unchecked = Readonly<Record<string, unknown>>;

/** Counts a failure of an extension; returns the reason as text. */
export type Fail = (error: unknown) => string;

/** The failures of one extension: the first is reported, then the tenth, the hundredth … */
export function failureCounter(path: string, report: (line: string) => void): Fail {
  let count = 0;
  return (error) => {
    const reason = reasonOf(error);
    count++;
    if (Number.isInteger(Math.log10(count))) report(`${path} failed${count > 1 ? ` ${count} times` : ''}: ${reason}`);
    return reason;
  };
}

/**
 * Calls `work`; an answer that `read` does not accept is a failure, like an exception.
 * @param otherwise the value after a failure, by its reason
 */
export function checked<T>(
  fail: Fail,
  work: () => unknown,
  read: (given: unknown) => T | undefined,
  otherwise: (reason: string) => T,
): T {
  let error: unknown;
  try {
    const given = work();
    const isPromise = unawaited(given);
    const value = isPromise ? undefined : read(given);
    if (value !== undefined) return value;
    error = `it answered ${isPromise ? 'a promise' : kindOf(given)}`;
  } catch (thrown) {
    error = thrown;
  }
  return otherwise(fail(error));
}

/** The function that a maker made, with its calls checked; undefined when it made none. */
export function checkedFunction<A extends unknown[], T>(
  made: unknown,
  fail: Fail,
  read: (given: unknown, ...args: A) => T | undefined,
  otherwise: (reason: string, ...args: A) => T,
): ((...args: A) => T) | undefined {
  if (typeof made !== 'function') return undefined;
  return (...args) =>
    checked(
      fail,
      () => made(...args) as unknown,
      (given) => read(given, ...args),
      (reason) => otherwise(reason, ...args),
    );
}

const kindOf = (given: unknown): string => (typeof given === 'number' ? String(given) : typeof given);

export const readBoolean = (given: unknown): boolean | undefined => (typeof given === 'boolean' ? given : undefined);

export const readNumber = (given: unknown): number | undefined =>
  typeof given === 'number' && Number.isFinite(given) ? given : undefined;
