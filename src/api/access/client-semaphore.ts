/**
 * A semaphore for work that clients ask for: a few pieces are done at once, some more wait, and beyond that the next is told to
 * come back. What is at work and what waits counts to the limits of clients, and the work of admin keys is begun before all that
 * waits for others.
 */
import type { Asker, ClientLimits, Reached } from '../../core/queueing/client-limits.js';
import { Semaphore } from '../../core/queueing/semaphore.js';
import { type Problem, withOptions } from '../problem.js';

export interface SemaphoreLimits extends ClientLimits {
  /** Pieces of work that are done at once; those of `max` beyond them wait. */
  readonly atOnce: number;
}

export interface Refusal {
  /** @param whose ` of this key` or ` of this address` where its own limit is reached, else empty */
  problem(pieces: number, whose: string): Problem;
  readonly retryAfterSeconds: number;
}

export class ClientSemaphore {
  /** At work and waiting. */
  private readonly pieces: Semaphore;
  private readonly atWork: Semaphore;

  constructor(
    limits: SemaphoreLimits,
    private readonly refusal: Refusal,
  ) {
    this.pieces = new Semaphore(limits);
    this.atWork = new Semaphore(limits.atOnce);
  }

  /** Pieces at work and waiting. */
  get size(): number {
    return this.pieces.size;
  }

  /**
   * What `work` returns. Throws the problem of the refusal when a limit is reached.
   * @param gone fires when the caller has gone: work that has not begun is left undone, and the reason of the signal is thrown
   */
  async run<T>(asker: Asker, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    gone?.throwIfAborted();
    const reached = this.pieces.tryAcquire(asker);
    if (reached !== undefined) throw this.refused(asker, reached);
    try {
      return await this.atWork.run(work, gone, asker);
    } finally {
      this.pieces.release(asker);
    }
  }

  private refused({ kind }: Asker, { limit, taken }: Reached): Problem {
    const whose = kind === 'address' ? ' of this address' : ' of this key';
    const problem = this.refusal.problem(taken, limit === 'own' ? whose : '');
    return withOptions(problem, { headers: { 'Retry-After': String(this.refusal.retryAfterSeconds) } });
  }
}
