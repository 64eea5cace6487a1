/** Enough for the loss of two beats and the pauses of a busy machine. */
const DEFAULT_SECONDS = 20;

/**
 * Seconds of a lease, as the variable LEASE_SECONDS has it: 2 to 20, which is what it is without. The tests of faults shorten it, so as not
 * to wait; all processes of a database must agree.
 */
export function leaseSeconds(given: string | undefined): number {
  const seconds = Number(given ?? DEFAULT_SECONDS);
  return seconds >= 2 && seconds <= DEFAULT_SECONDS ? seconds : DEFAULT_SECONDS;
}
