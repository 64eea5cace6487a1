/** Lets a few pieces of work run at the same time; the others wait, first come, first served. */
export class InTurn {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param most pieces at the same time */
  constructor(private readonly most: number) {}

  /** Runs `work` when it is its turn. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.most) await new Promise<void>((go) => this.waiting.push(go));
    else this.running++;
    try {
      return await work();
    } finally {
      // The place goes to the next one as it is; nobody comes in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
