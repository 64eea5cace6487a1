/** Creates gauges and counters in one line each. Label values are known in advance, because each one takes memory. */
import { Counter, Gauge, type Registry } from 'prom-client';

/** Maximum number of values of one label; further values are counted as `other`. */
const MAX_VALUES = 64;

const withoutLabels = new WeakSet<Gauge>();

export function gauge(registry: Registry, name: string, help: string, labelNames: string[] = []): Gauge {
  const metric = new Gauge({ name: `orbweaver_${name}`, help, labelNames, registers: [registry] });
  if (labelNames.length === 0) withoutLabels.add(metric);
  return metric;
}

/** Removes all values of gauges: an unknown value is not 0. */
export function clearAll(gauges: readonly Gauge[]): void {
  for (const metric of gauges) {
    metric.reset();
    if (withoutLabels.has(metric)) metric.remove();
  }
}

export const counter = (registry: Registry, name: string, help: string, labelNames: string[] = []): Counter =>
  new Counter({ name: `orbweaver_${name}`, help, labelNames, registers: [registry] });

/** Bounds the number of values of a label, whatever the database contains. */
export class LabelValues {
  private readonly known = new Set<string>();

  constructor(private readonly max = MAX_VALUES) {}

  valueOrOther(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.max) return 'other';
    this.known.add(value);
    return value;
  }
}
