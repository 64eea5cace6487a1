/**
 * How long a host in trouble is left alone.
 *
 * A server that answers 5xx or 429, or none at all, gets a longer rest with each failure in a row: the delay doubles, up to
 * a bound. `Retry-After` (RFC 9110 section 10.2.3) asks for a rest in so many words: seconds or a date. What is asked for
 * holds where it is longer than the delay, up to the same bound, as a slip of a server must not put a host off for years.
 */
import { parseHttpDate } from '../page/http-date.js';

export interface BackOffRules {
  /** Delay after the first failure, ms (`fetcher.exceptions.per.queue.delay`). */
  readonly base: number;
  /** Longest delay, ms (`fetcher.backoff.max`). */
  readonly max: number;
}

/** 2^30 times any delay is beyond every bound; without a cap the product would lose its precision. */
const MAX_DOUBLINGS = 30;

/** The delay after so many failures in a row (from 1), ms. */
export function backOff(failures: number, { base, max }: BackOffRules): number {
  return Math.min(max, base * 2 ** Math.min(Math.max(0, failures - 1), MAX_DOUBLINGS));
}

/** Whether an HTTP status says that the server cannot serve us now: 429 and 5xx. */
export const isTrouble = (status: number): boolean => status === 429 || status >= 500;

/** Whether it says that we ask too much: 429 and 503. */
export const isThrottled = (status: number): boolean => status === 429 || status === 503;

/**
 * The rest that a `Retry-After` asks for, ms from `now` (epoch ms), at most `max`; null when it asks for none or cannot be
 * read. Of a field that came twice the first value counts.
 */
export function retryAfter(value: string | undefined, now: number, max: number): number | null {
  const text = value?.trim().slice(0, 100) ?? '';
  const seconds = /^(\d{1,20})(?:\.\d{0,9})?(?:\s*,\s*\d.*)?$/.exec(text);
  const date = seconds === null ? parseHttpDate(text) : null;
  const ms = seconds === null ? (date === null ? null : date - now) : Number(seconds[1]) * 1000;
  return ms === null ? null : Math.min(Math.max(0, ms), max);
}
