import type { HeavyProcesses } from './heavy-processes.js';

/** Where heavy requests are worked on. */
export class HeavyWork {
  /** @param processes that do it; undefined in such a process itself */
  constructor(readonly processes: HeavyProcesses | undefined) {}
}
