/**
 * Jobs are written one after the other within a crawl (the log of a crawl has one order), so a crowd of them would wait for
 * each other with a connection of the database in the hand of each, and nobody else would get one. So few are written at
 * once; those behind them wait without a connection, and when too many wait, the next is told to come back.
 */
import type { Asker } from '../access/client-limits.js';
import { jobsTooFast, withOptions } from '../problem.js';

export interface LaneLimits {
  /** Jobs that are written at once: of the connections that a server has, the lesser part. */
  readonly atOnce: number;
  readonly waiting: number;
  /** Beyond `waiting`, for admin keys. */
  readonly forAdmins: number;
}

export const usualLane: LaneLimits = { atOnce: 4, waiting: 100, forAdmins: 20 };

export class CreationLane {
  private atWork = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limits: LaneLimits = usualLane) {}

  /** What `work` answers, when it is its turn. Throws JOBS_TOO_FAST when too many wait. */
  async run<T>({ kind }: Asker, work: () => Promise<T>): Promise<T> {
    const { atOnce, waiting, forAdmins } = this.limits;
    if (this.waiting.length >= waiting + (kind === 'admin key' ? forAdmins : 0))
      throw withOptions(jobsTooFast(atOnce + waiting), { headers: { 'Retry-After': '2' } });
    if (this.atWork < atOnce) this.atWork += 1;
    else await new Promise<void>((turn) => this.waiting.push(turn));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.atWork -= 1;
    }
  }
}
