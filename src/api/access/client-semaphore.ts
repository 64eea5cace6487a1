/**
 * A semaphore for work that clients request: so many run at once, some more wait, and beyond that the next one is refused
 * with Retry-After. What runs or waits counts towards the limits per client, and work of admin keys starts before all
 * work that waits for others.
 */
import type { LimitedClient, ClientLimits, ReachedLimit } from '../../core/queueing/client-limits.js';
import { Semaphore } from '../../core/queueing/semaphore.js';
import type { Problem } from '../problem.js';

export interface SemaphoreLimits extends ClientLimits {
  /** How many run at once; the others, up to `max` in all, wait. */
  readonly atOnce: number;
}

/** @param whose ` of this key` or ` of this address` where its own limit is reached, else empty */
type Refuse = (max: number, whose: string) => Problem;

export class ClientSemaphore {
  /** Running and waiting. */
  private readonly admitted: Semaphore;
  private readonly running: Semaphore;

  constructor(
    limits: SemaphoreLimits,
    private readonly refuse: Refuse,
  ) {
    this.admitted = new Semaphore(limits);
    this.running = new Semaphore(limits.atOnce);
  }

  /** How many run or wait. */
  get size(): number {
    return this.admitted.size;
  }

  /**
   * Runs `work` and returns its result. Throws the problem of the refusal when a limit is reached.
   * @param gone aborted when the client disconnects: work that has not begun is not started, and the signal's reason is thrown
   */
  async run<T>(client: LimitedClient, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    gone?.throwIfAborted();
    const reached = this.admitted.tryAcquire(client);
    if (reached !== undefined) throw this.refused(client, reached);
    try {
      return await this.running.run(work, gone, client);
    } finally {
      this.admitted.release(client);
    }
  }

  private refused({ kind }: LimitedClient, { limit, taken }: ReachedLimit): Problem {
    const whose = kind === 'address' ? ' of this address' : ' of this key';
    return this.refuse(taken, limit === 'own' ? whose : '');
  }
}
