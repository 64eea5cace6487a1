import { setTimeout as sleep } from 'node:timers/promises';

const GATHER_MS = 20;

/** Combines the ids that are added within 20 ms into one call: one statement for all instead of one for each. */
export class LeaseBatcher {
  private readonly ids = new Set<string>();
  private sending: Promise<void> | undefined;

  constructor(private readonly work: (ids: string[]) => Promise<void>) {}

  /** Resolves, or rejects, with the call for all ids of the batch. */
  add(id: string): Promise<void> {
    this.ids.add(id);
    this.sending ??= sleep(GATHER_MS).then(() => {
      const ids = [...this.ids];
      this.ids.clear();
      this.sending = undefined;
      return this.work(ids);
    });
    return this.sending;
  }
}
