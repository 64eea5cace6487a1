import type { HeavyProcesses } from './heavy-processes.js';

export class HeavyWork {
  /** @param processes that run it; undefined in such a process itself */
  constructor(readonly processes: HeavyProcesses | undefined) {}
}
