/**
 * A semaphore for work that clients ask for: a few pieces are done at once, some more wait, and beyond that the next is told to
 * come back. What is at work and what waits counts to the limits of clients (client-limits.ts), and the work of admin keys is
 * begun before all that waits for others.
 */
import { type Problem, withOptions } from '../problem.js';
import { type Asker, type ClientLimits, limitReached, takenBy } from './client-limits.js';

export interface SemaphoreLimits extends ClientLimits {
  /** Pieces of work that are done at once; those of `max` beyond them wait. */
  readonly atOnce: number;
}

export interface Refusal {
  /** @param whose ` of this key` or ` of this address` where its own limit is reached, else empty */
  problem(pieces: number, whose: string): Problem;
  readonly retryAfterSeconds: number;
}

interface Piece extends Asker {
  /** Begins it, while it waits. */
  begin?: () => void;
}

export class ClientSemaphore {
  /** At work and waiting, in the order in which they came. */
  private readonly pieces = new Set<Piece>();
  private atWork = 0;

  constructor(
    private readonly limits: SemaphoreLimits,
    private readonly refusal: Refusal,
  ) {}

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
    this.refuseTooMany(asker);
    const piece: Piece = { ...asker };
    this.pieces.add(piece);
    if (this.atWork < this.limits.atOnce) this.atWork += 1;
    else await this.beginningOf(piece, gone);
    try {
      return await work();
    } finally {
      this.pieces.delete(piece);
      this.beginNext();
    }
  }

  private beginningOf(piece: Piece, gone: AbortSignal | undefined): Promise<void> {
    return new Promise((begin, leave) => {
      const left = () => {
        this.pieces.delete(piece);
        leave(gone?.reason as Error);
      };
      gone?.addEventListener('abort', left, { once: true });
      piece.begin = () => {
        gone?.removeEventListener('abort', left);
        begin();
      };
    });
  }

  private refuseTooMany(asker: Asker): void {
    const taken = takenBy(asker, this.pieces);
    const reached = limitReached(asker, taken, this.limits);
    if (reached === undefined) return;
    const isOwn = reached === 'own';
    const whose = asker.kind === 'address' ? ' of this address' : ' of this key';
    const problem = this.refusal.problem(isOwn ? taken.own : taken.all, isOwn ? whose : '');
    throw withOptions(problem, { headers: { 'Retry-After': String(this.refusal.retryAfterSeconds) } });
  }

  private beginNext(): void {
    const waiting = [...this.pieces].filter(({ begin }) => begin !== undefined);
    const next = waiting.find(({ kind }) => kind === 'admin key') ?? waiting[0];
    if (next === undefined) {
      this.atWork -= 1;
      return;
    }
    const { begin } = next;
    delete next.begin;
    begin?.();
  }
}
