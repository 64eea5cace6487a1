/**
 * Memory budget for request bodies. Each body is bounded by its route, but a thousand clients that stop one byte before the end of
 * 16 MiB would use 16 GiB. So the bytes of all are bounded too; a request beyond the budget is refused and may be repeated.
 */
import { type Asker, type ClientLimits, limitReached } from '../access/client-limits.js';

const LIMITS: ClientLimits = { max: 268_435_456, maxPerKey: 134_217_728, reserved: 67_108_864 };

export class BodyBudget {
  /** Bytes reserved now. */
  used = 0;
  private ofKeys = 0;
  private readonly ofClient = new Map<string, number>();

  constructor(private readonly limits = LIMITS) {}

  /** Reserves bytes that have arrived; false when the budget is exhausted. */
  reserve(asker: Asker, bytes: number): boolean {
    const own = this.ofClient.get(asker.client) ?? 0;
    // The last byte of these is to fit, too.
    const more = bytes - 1;
    const taken = { all: this.used + more, keys: this.ofKeys + more, own: own + more };
    if (bytes > 0 && limitReached(asker, taken, this.limits) !== undefined) return false;
    this.count(asker, bytes);
    return true;
  }

  release(asker: Asker, bytes: number): void {
    this.count(asker, -bytes);
  }

  private count({ client, kind }: Asker, bytes: number): void {
    this.used += bytes;
    if (kind === 'key') this.ofKeys += bytes;
    const own = (this.ofClient.get(client) ?? 0) + bytes;
    if (own > 0) this.ofClient.set(client, own);
    else this.ofClient.delete(client);
  }
}

/** The budget of this process. */
export const bodyBudget = new BodyBudget();
