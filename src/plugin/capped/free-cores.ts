/** Detects an idle core, by the CPU time of all processes of the machine since the last sample. */
import { cpus } from 'node:os';

/** Milliseconds between two samples: in a shorter time a core that waits for a disk seems idle. */
export const SAMPLE_MS = 500;
/** Older samples are not used. */
const MAX_AGE_MS = 4 * SAMPLE_MS;
/** Idle time, in cores, that suffices for one more process. */
const MIN_IDLE = 0.75;

export class FreeCores {
  private before: Times | null = null;
  private at = -Infinity;

  /** False until the next sample is due. Each sample is used once, as the caller will use the core. */
  hasOne(): boolean {
    const age = performance.now() - this.at;
    if (age < SAMPLE_MS) return false;
    const before = age < MAX_AGE_MS ? this.before : null;
    const now = (this.before = times());
    this.at = performance.now();
    const all = now.all - (before?.all ?? now.all);
    return all > 0 && (now.cores * (now.idle - before!.idle)) / all >= MIN_IDLE;
  }
}

/** Milliseconds since the start of the machine, summed over all cores. */
interface Times {
  readonly cores: number;
  readonly idle: number;
  readonly all: number;
}

function times(): Times {
  const cores = cpus();
  const sum = (timeOf: (times: (typeof cores)[number]['times']) => number) =>
    cores.reduce((n, core) => n + timeOf(core.times), 0);
  return {
    cores: cores.length,
    idle: sum(({ idle }) => idle),
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
}
