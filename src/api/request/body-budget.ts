/**
 * Memory for bodies that are still coming in. Each is bounded by its route, but a thousand senders that stop one byte
 * before the end of 16 MiB would hold 16 GiB: so all together are bounded too, and who finds no room comes back later.
 */
import { type Asker, type ClientLimits, limitReached } from '../access/client-limits.js';

const LIMITS: ClientLimits = { max: 268_435_456, maxPerKey: 134_217_728, reserved: 67_108_864 };

export class BodyBudget {
  /** Bytes that are taken now. */
  used = 0;
  private ofKeys = 0;
  private readonly ofClient = new Map<string, number>();

  constructor(private readonly limits = LIMITS) {}

  /** Takes room for bytes that have come; false when there is none. */
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

/** The room of this process. */
export const bodyBudget = new BodyBudget();
