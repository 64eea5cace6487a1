/** Guards of external parsers and parse filters; they may return promises, with a timeout. */
import type { ParseFilter, ParserInput } from '../core/page/parser.js';
import { withinTime } from '../net/within-time.js';
import type { TypedParser } from './extension-points.js';
import type { Fail } from './external-call.js';
import { changedPage, copyOfPage, readPageOf } from './external-page.js';

/** The types of a parser, `type/subtype`. */
const TYPE_SHAPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;
const MAX_TYPES = 100;

/** The content is stored after it is parsed: a plugin that decodes it in place must not change it. */
const copyOfInput = (input: ParserInput): ParserInput => ({
  ...input,
  content: Buffer.from(Uint8Array.from(input.content).buffer),
  page: { ...input.page },
});

/** If a parser fails, or returns no page, the guard throws, so that the next one of the type is tried. */
export function guardedParser(extension: unknown, fail: Fail): TypedParser | undefined {
  const parser = extension as Partial<TypedParser> | null | undefined;
  const { types } = parser ?? {};
  if (typeof parser?.parse !== 'function' || !Array.isArray(types) || types.length > MAX_TYPES) return undefined;
  if (!types.every((type) => typeof type === 'string' && TYPE_SHAPE.test(type))) return undefined;
  return {
    types: types.map((type: string) => type.toLowerCase()),
    parse: (input) =>
      inTime(
        () => parser.parse?.(copyOfInput(input)),
        (returned) => readPageOf(returned, input),
        (error) => {
          throw new Error(fail(error), { cause: error });
        },
      ),
  };
}

/** A parse filter that fails, or returns no fields of a page, leaves the page unchanged. */
export function guardedParseFilter(extension: unknown, fail: Fail): ParseFilter | undefined {
  if (typeof extension !== 'function') return undefined;
  return (parsed, input) =>
    inTime(
      () => (extension as (...args: unknown[]) => unknown)(copyOfPage(parsed), copyOfInput(input)),
      (returned) => changedPage(parsed, returned, input),
      (error) => {
        fail(error);
        return parsed;
      },
    );
}

/** Timeout of promises. */
const PROMISE_MS = 30_000;

/** Calls `work`, which may return a value or a promise; a promise has a timeout. */
function inTime<T>(
  work: () => unknown,
  read: (returned: unknown) => T,
  otherwise: (error: unknown) => T,
): T | Promise<T> {
  try {
    const returned = work();
    if (!isPromise(returned)) return read(returned);
    return withinTime(PROMISE_MS, returned, tooLate).then(read).catch(otherwise);
  } catch (error) {
    return otherwise(error);
  }
}

function tooLate(): never {
  throw new Error(`it took longer than ${PROMISE_MS} ms`);
}

/** Promises of libraries count too: read as a page, one would be an empty page. */
const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
