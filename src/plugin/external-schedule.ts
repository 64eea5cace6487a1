/**
 * The guard of external schedules: where a method is missing, throws or returns an invalid value, that of the default
 * schedule is used, so that every page has a valid next fetch time.
 */
import { MAX_INT32 } from '../core/int32.js';
import type { Conf } from '../core/conf/properties.js';
import { DefaultSchedule } from '../core/schedule/default-schedule.js';
import { type FetchSchedule, MAX_RETRIES, type PageTiming } from '../core/schedule/fetch-schedule.js';
import { unawaited } from './unawaited.js';
import type { Unchecked } from './external-call.js';

/** Latest time, in ms since the epoch, that both PostgreSQL and JavaScript can represent. */
const LATEST = 8.64e15;

const VALID_TIMING = 'timing: fetchTime, fetchInterval, retries and modifiedTime must be numbers from 0';
const VALID_DUE = 'answer: due must be true or false, and timing that of a page';

/** The guarded schedule of a plugin; undefined when it has none of the methods. */
export function guardedSchedule(
  extension: unknown,
  conf: Conf,
  fail: (error: unknown) => string,
): FetchSchedule | undefined {
  const schedule = (extension ?? {}) as Readonly<Partial<Record<keyof FetchSchedule, unknown>>>;
  const defaultSchedule = new DefaultSchedule(conf);
  const methods: (keyof FetchSchedule)[] = ['initial', 'afterFetch', 'afterGone', 'afterRetry', 'forceRefetch', 'due'];
  if (!methods.some((name) => typeof schedule[name] === 'function')) return undefined;
  const call = <T>(name: keyof FetchSchedule, args: unknown[], read: (value: unknown) => T | undefined): T => {
    const method = schedule[name];
    if (typeof method === 'function') {
      try {
        // Copies, as the default schedule may need them unchanged.
        const copies = args.map((arg) => (typeof arg === 'object' && arg !== null ? { ...arg } : arg));
        const returned: unknown = method.apply(extension, copies);
        const value = unawaited(returned) ? undefined : read(returned);
        if (value !== undefined) return value;
        fail(`${name} returned no valid ${name === 'due' ? VALID_DUE : VALID_TIMING}`);
      } catch (error) {
        fail(error);
      }
    }
    return (defaultSchedule[name] as (...params: unknown[]) => unknown).apply(defaultSchedule, args) as T;
  };
  const timing =
    (name: keyof FetchSchedule) =>
    (...args: unknown[]) =>
      call(name, args, readTiming);
  return {
    initial: timing('initial'),
    afterFetch: timing('afterFetch'),
    afterGone: timing('afterGone'),
    afterRetry: timing('afterRetry'),
    forceRefetch: timing('forceRefetch'),
    due: (...args) => call('due', args, readDue),
  };
}

/** Rounds times and intervals, which are stored as integers, so that plugins need not. */
function readTiming(value: unknown): PageTiming | undefined {
  const { fetchTime, fetchInterval, retries, modifiedTime } = (value ?? {}) as Unchecked;
  if (!Number.isInteger(retries)) return undefined;
  const read = {
    fetchTime: wholeWithin(fetchTime, LATEST),
    fetchInterval: wholeWithin(fetchInterval, MAX_INT32),
    retries: wholeWithin(retries, MAX_RETRIES),
    modifiedTime: wholeWithin(modifiedTime, LATEST),
  };
  return Object.values(read).every((value) => value !== undefined) ? (read as PageTiming) : undefined;
}

function wholeWithin(value: unknown, max: number): number | undefined {
  const whole = typeof value === 'number' ? Math.round(value) : NaN;
  return whole >= 0 && whole <= max ? whole : undefined;
}

function readDue(value: unknown): ReturnType<FetchSchedule['due']> | undefined {
  const { due, timing } = (value ?? {}) as Unchecked;
  const read = readTiming(timing);
  return typeof due === 'boolean' && read !== undefined ? { due, timing: read } : undefined;
}
