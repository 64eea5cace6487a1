/**
 * The back-off of a host after failures.
 *
 * While a server answers 5xx or 429, or not at all, the delay doubles with each failure in a row, up to a maximum.
 * `Retry-After` (RFC 9110 §10.2.3) asks for a delay explicitly, in seconds or as a date. It applies where it is
 * longer than the back-off, up to the same maximum, as a mistake of a server must not block a host for years.
 */
import { parseHttpDate } from '../http/http-date.js';

/** Maximum of `fetcher.backoff.max`, seconds: 30 days. */
export const MAX_BACK_OFF_S = 2_592_000;
/** Tolerance for differences of clocks: a time further in the future than is possible was written by a wrong clock. */
export const CLOCK_TOLERANCE_S = 5;

export interface BackOffRules {
  /** Delay after the first failure, ms (`fetcher.exceptions.per.queue.delay`). */
  readonly base: number;
  /** Longest delay, ms (`fetcher.backoff.max`). */
  readonly max: number;
}

/** 2^30 times any delay exceeds every maximum; without a cap the product would lose precision. */
const MAX_DOUBLINGS = 30;

/** The delay after this many failures in a row (from 1), ms. */
export function backOff(failures: number, { base, max }: BackOffRules): number {
  return Math.min(max, base * 2 ** Math.min(Math.max(0, failures - 1), MAX_DOUBLINGS));
}

/** Whether an HTTP status means that the server cannot serve us now: 429 and 5xx. */
export const isTrouble = (status: number): boolean => status === 429 || status >= 500;

/** Whether an HTTP status means that we send too many requests: 429 and 503. */
export const isThrottled = (status: number): boolean => status === 429 || status === 503;

/**
 * The delay that a `Retry-After` asks for, ms from `now` (epoch ms), at most `max`; null for a missing or invalid field.
 * Of a repeated field the first value counts.
 */
export function retryAfter(value: string | undefined, now: number, max: number): number | null {
  const text = value?.trim().slice(0, 100) ?? '';
  const seconds = /^(\d{1,20})(?:\.\d{0,9})?(?:\s*,\s*\d.*)?$/.exec(text);
  const date = seconds === null ? parseHttpDate(text) : null;
  const ms = seconds === null ? (date === null ? null : date - now) : Number(seconds[1]) * 1000;
  return ms === null ? null : Math.min(Math.max(0, ms), max);
}
