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
  /** @param whose ` of this key` where its own limit is reached, else empty */
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

  /** What `work` answers. Throws the problem of the refusal when a limit is reached. */
  async run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    this.refuseTooMany(asker);
    const piece: Piece = { ...asker };
    this.pieces.add(piece);
    if (this.atWork < this.limits.atOnce) this.atWork += 1;
    else await new Promise<void>((begin) => (piece.begin = begin));
    try {
      return await work();
    } finally {
      this.pieces.delete(piece);
      this.beginNext();
    }
  }

  private refuseTooMany(asker: Asker): void {
    const taken = takenBy(asker, this.pieces);
    const reached = limitReached(asker, taken, this.limits);
    if (reached === undefined) return;
    const isOwn = reached === 'own';
    const problem = this.refusal.problem(isOwn ? taken.own : taken.all, isOwn ? ' of this key' : '');
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
