/** Gauges and counters, made in one line each. Labels are sets that are known beforehand: they are memory. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** Values of one label at most; what comes beyond them is counted as `other`. */
const MAX_VALUES = 64;

const withoutLabels = new WeakSet<Gauge>();

export function gauge(registry: Registry, name: string, help: string, labelNames: string[] = []): Gauge {
  const made = new Gauge({ name: `orbweaver_${name}`, help, labelNames, registers: [registry] });
  if (labelNames.length === 0) withoutLabels.add(made);
  return made;
}

/** Takes all values of gauges away: one that is not known is not 0. */
export function clearAll(gauges: readonly Gauge[]): void {
  for (const one of gauges) {
    one.reset();
    if (withoutLabels.has(one)) one.remove();
  }
}

export const counter = (registry: Registry, name: string, help: string, labelNames: string[] = []): Counter =>
  new Counter({ name: `orbweaver_${name}`, help, labelNames, registers: [registry] });

/** Keeps the values of a label few, whatever the database has. */
export class LabelValues {
  private readonly known = new Set<string>();

  constructor(private readonly max = MAX_VALUES) {}

  of(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.max) return 'other';
    this.known.add(value);
    return value;
  }
}
