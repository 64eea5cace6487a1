/**
 * Memory budget for answers that are written and not yet read. An answer is small, but a thousand clients may ask for one and not
 * read it. So the bytes of all are bounded; beyond the bound the oldest answers are evicted. A client that reads has its answer at
 * once and is never evicted. Answers to admin keys are evicted last.
 */
import type { ServerResponse } from 'node:http';

const MAX_BYTES = 67_108_864;
/** Smaller answers fit into the buffers of the system. */
const COUNTED = 16_384;

export class AnswerBudget {
  /** Oldest first. */
  private readonly responses = new Map<ServerResponse, { bytes: number; isAdmins: boolean }>();
  private used = 0;
  /** Answers that were evicted. */
  evicted = 0;

  constructor(private readonly max = MAX_BYTES) {}

  /** Bytes written and not yet read. */
  get size(): number {
    return this.used;
  }

  /** Counts an answer until it is read. Call it before the answer is written. */
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
