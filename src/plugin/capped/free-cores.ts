/** Is there a core that nobody uses? By what all processes of the machine took of its cores since the last look. */
import { cpus } from 'node:os';

/** Milliseconds between two looks: over less a core that waits for a disk looks free. */
export const LOOK_MS = 500;
/** What was before is no sign of what is now. */
const OLD_MS = 4 * LOOK_MS;
/** Of a core: who has as much left has room for one more process. */
const ENOUGH = 0.75;

export class FreeCores {
  private before: Times | null = null;
  private at = -Infinity;

  /** False until there was time to look: ask again. After a true one it looks anew, as whoever asked takes that core. */
  hasOne(): boolean {
    const age = performance.now() - this.at;
    if (age < LOOK_MS) return false;
    const before = age < OLD_MS ? this.before : null;
    const now = (this.before = times());
    this.at = performance.now();
    const all = now.all - (before?.all ?? now.all);
    return all > 0 && (now.cores * (now.idle - before!.idle)) / all >= ENOUGH;
  }
}

/** Milliseconds since the start of the machine, of all cores together. */
interface Times {
  readonly cores: number;
  readonly idle: number;
  readonly all: number;
}

function times(): Times {
  const cores = cpus();
  const sum = (of: (times: (typeof cores)[number]['times']) => number) =>
    cores.reduce((n, core) => n + of(core.times), 0);
  return {
    cores: cores.length,
    idle: sum(({ idle }) => idle),
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
}
