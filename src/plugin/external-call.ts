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
  read: (value: unknown) => T | undefined,
  otherwise: (reason: string) => T,
): T {
  let error: unknown;
  try {
    const returned = work();
    const isPromise = unawaited(returned);
    const value = isPromise ? undefined : read(returned);
    if (value !== undefined) return value;
    error = `it answered ${isPromise ? 'a promise' : kindOf(returned)}`;
  } catch (thrown) {
    error = thrown;
  }
  return otherwise(fail(error));
}

/** The function that a maker made, with its calls checked; undefined when it made none. */
export function checkedFunction<A extends unknown[], T>(
  extension: unknown,
  fail: Fail,
  read: (value: unknown, ...args: A) => T | undefined,
  otherwise: (reason: string, ...args: A) => T,
): ((...args: A) => T) | undefined {
  if (typeof extension !== 'function') return undefined;
  return (...args) =>
    checked(
      fail,
      () => extension(...args) as unknown,
      (value) => read(value, ...args),
      (reason) => otherwise(reason, ...args),
    );
}

const kindOf = (value: unknown): string => (typeof value === 'number' ? String(value) : typeof value);

export const readBoolean = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

export const readNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
