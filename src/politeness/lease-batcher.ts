import { setTimeout as sleep } from 'node:timers/promises';

const GATHER_MS = 20;

/** What is asked for by many within a moment, asked for at once: a statement for all instead of one for each. */
export class Gathering {
  private readonly ids = new Set<string>();
  private going: Promise<void> | undefined;

  constructor(private readonly work: (ids: string[]) => Promise<void>) {}

  /** Ends, or fails, with the work for all that came in the same moment. */
  add(id: string): Promise<void> {
    this.ids.add(id);
    this.going ??= sleep(GATHER_MS).then(() => {
      const ids = [...this.ids];
      this.ids.clear();
      this.going = undefined;
      return this.work(ids);
    });
    return this.going;
  }
}
