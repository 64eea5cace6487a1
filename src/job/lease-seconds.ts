/** Enough for the loss of two heartbeats and the pauses of a busy machine. */
const DEFAULT_LEASE_S = 20;

/**
 * Seconds of a lease, from the variable LEASE_SECONDS: 2 to 20, default 20. Fault tests shorten it so that they do not
 * have to wait; all processes of a database must use the same value.
 */
export function leaseSeconds(given: string | undefined): number {
  const seconds = Number(given ?? DEFAULT_LEASE_S);
  return seconds >= 2 && seconds <= DEFAULT_LEASE_S ? seconds : DEFAULT_LEASE_S;
}
