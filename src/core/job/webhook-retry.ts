/** When a failed delivery is sent again, and for how long its webhook pauses. */

/** Delays after the first, second, … failed attempt, in seconds: tripled each time, from 10 s to 6 h. */
const FIRST_DELAY_S = 10;
const MAX_DELAY_S = 6 * 3600;
/** Share of a delay by which it is made longer or shorter. */
const JITTER = 0.2;
/** The longest delay with jitter, seconds. */
export const MAX_RETRY_DELAY_S = MAX_DELAY_S * (1 + JITTER);
/** Failures in a row after which a webhook pauses between two attempts, so that a dead receiver does not cost 10 s each. */
const FAILURES_BEFORE_PAUSE = 5;
export const MAX_PAUSE_S = 300;

/**
 * Seconds until the next attempt.
 * @param attempts made so far, at least 1
 * @param chance 0 to 1: spreads the delays by 20 % to both sides, so that deliveries are not all sent again at once
 */
export function retryDelay(attempts: number, chance: number): number {
  return Math.min(MAX_DELAY_S, FIRST_DELAY_S * 3 ** (attempts - 1)) * (1 - JITTER + 2 * JITTER * chance);
}

/** Seconds for which a webhook pauses after `failures` failures in a row. */
export function pauseAfter(failures: number): number {
  return failures < FAILURES_BEFORE_PAUSE ? 0 : Math.min(MAX_PAUSE_S, 10 * 2 ** (failures - FAILURES_BEFORE_PAUSE));
}
