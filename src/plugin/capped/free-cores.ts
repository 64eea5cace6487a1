/** Is there a core that nobody uses? By what all processes of the machine took of its cores since the last look. */
import { cpus } from 'node:os';

/** Milliseconds between two looks: over less a core that waits for a disk looks free. */
const LOOK_MS = 500;
/** Of a core: who has as much left has room for one more process. */
const ENOUGH = 0.75;

export class FreeCores {
  private before = times();
  private at = performance.now();

  /** False until there was time to look. After a true one it looks anew, as whoever asked takes that core. */
  hasOne(): boolean {
    if (performance.now() - this.at < LOOK_MS) return false;
    const now = times();
    const all = now.all - this.before.all;
    const free = all > 0 ? (now.cores * (now.idle - this.before.idle)) / all : 0;
    this.before = now;
    this.at = performance.now();
    return free >= ENOUGH;
  }
}

/** Milliseconds since the start of the machine, of all cores together. */
function times(): { cores: number; idle: number; all: number } {
  const cores = cpus();
  const sum = (of: (times: (typeof cores)[number]['times']) => number) =>
    cores.reduce((n, core) => n + of(core.times), 0);
  return {
    cores: cores.length,
    idle: sum(({ idle }) => idle),
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
}
