/**
 * Where a heavy request runs: in a process beside the API or, if it is a short change of a configuration and its client has made
 * few in this second, in the API itself.
 */
import { TokenBuckets } from '../../core/queueing/token-buckets.js';
import type { HeavyProcesses } from './heavy-processes.js';

/** Changes of one client that the API makes itself, a second and simultaneously: each takes it up to 10 ms. */
const DEFAULT_LIGHT_CHANGES = 20;

export class HeavyWork {
  private readonly lightChanges: TokenBuckets;

  /** @param processes that run it; undefined in such a process itself */
  constructor(
    readonly processes: HeavyProcesses | undefined,
    lightChanges = DEFAULT_LIGHT_CHANGES,
  ) {
    this.lightChanges = new TokenBuckets(lightChanges, Math.max(1, lightChanges));
  }

  /** Whether the API may make one more change of this client itself. */
  takesChange(client: string): boolean {
    return this.lightChanges.take(client, performance.now()) === 0;
  }
}
