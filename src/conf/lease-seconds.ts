import { whole } from './whole-variable.js';

/** The default is enough for the loss of two heartbeats and the pauses of a busy machine. */
const BOUNDS = { min: 2, max: 20, otherwise: 20 };

/**
 * Seconds of a lease, from the variable LEASE_SECONDS. Fault tests shorten it so that they do not have to wait; all processes
 * of a database must use the same value. @throws StartError `environment`
 */
export const leaseSeconds = (variables: NodeJS.ProcessEnv): number =>
  whole('LEASE_SECONDS', variables['LEASE_SECONDS']?.trim() || undefined, BOUNDS);
