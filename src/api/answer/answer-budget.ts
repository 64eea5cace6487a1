/**
 * Memory for answers that are on their way. An answer is small beside what a thousand clients hold that ask for one and do
 * not read it: so all together are bounded, and beyond that those go that have been on their way longest. Whoever reads has
 * its answer in a moment, and is not among them. Answers to admin keys go when there are no others.
 */
import type { ServerResponse } from 'node:http';

const MAX_BYTES = 67_108_864;
/** Smaller answers fit into the buffers of the system. */
const COUNTED = 16_384;

export class AnswerBudget {
  /** Oldest first. */
  private readonly responses = new Map<ServerResponse, { bytes: number; isAdmins: boolean }>();
  private used = 0;
  /** Answers that were cut to make room. */
  evicted = 0;

  constructor(private readonly max = MAX_BYTES) {}

  /** Bytes on their way. */
  get size(): number {
    return this.used;
  }

  /** Counts an answer until it is out. Call it before the answer is written. */
  add(response: ServerResponse, bytes: number, isAdmins = false): void {
    if (bytes < COUNTED || response.closed) return;
    this.responses.set(response, { bytes, isAdmins });
    this.used += bytes;
    response.once('close', () => this.release(response));
    this.evict(response, false);
    this.evict(response, true);
  }

  private evict(newcomer: ServerResponse, admins: boolean): void {
    for (const [oldest, { isAdmins }] of this.responses) {
      if (this.used <= this.max) return;
      if (oldest === newcomer || isAdmins !== admins) continue;
      this.evicted += 1;
      this.release(oldest);
      oldest.destroy();
    }
  }

  private release(response: ServerResponse): void {
    this.used -= this.responses.get(response)?.bytes ?? 0;
    this.responses.delete(response);
  }
}
