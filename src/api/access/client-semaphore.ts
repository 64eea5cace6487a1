/**
 * A semaphore for work that clients request: some pieces run at once, some more wait, and beyond that the next one is refused
 * with Retry-After. Running and waiting pieces count towards the limits per client, and work of admin keys starts before all
 * work that waits for others.
 */
import type { Asker, ClientLimits, ReachedLimit } from '../../core/queueing/client-limits.js';
import { Semaphore } from '../../core/queueing/semaphore.js';
import type { Problem } from '../problem.js';

export interface SemaphoreLimits extends ClientLimits {
  /** Pieces of work that run at once; the others, up to `max` in all, wait. */
  readonly atOnce: number;
}

/** @param whose ` of this key` or ` of this address` where its own limit is reached, else empty */
type Refuse = (pieces: number, whose: string) => Problem;

export class ClientSemaphore {
  /** Running and waiting. */
  private readonly pieces: Semaphore;
  private readonly running: Semaphore;

  constructor(
    limits: SemaphoreLimits,
    private readonly refuse: Refuse,
  ) {
    this.pieces = new Semaphore(limits);
    this.running = new Semaphore(limits.atOnce);
  }

  /** Pieces of work that run or wait. */
  get size(): number {
    return this.pieces.size;
  }

  /**
   * Runs `work` and returns its result. Throws the problem of the refusal when a limit is reached.
   * @param gone aborted when the client disconnects: work that has not begun is not started, and the signal's reason is thrown
   */
  async run<T>(asker: Asker, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    gone?.throwIfAborted();
    const reached = this.pieces.tryAcquire(asker);
    if (reached !== undefined) throw this.refused(asker, reached);
    try {
      return await this.running.run(work, gone, asker);
    } finally {
      this.pieces.release(asker);
    }
  }

  private refused({ kind }: Asker, { limit, taken }: ReachedLimit): Problem {
    const whose = kind === 'address' ? ' of this address' : ' of this key';
    return this.refuse(taken, limit === 'own' ? whose : '');
  }
}
