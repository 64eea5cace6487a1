/**
 * Memory budget for answers that are written and not yet read. An answer is small, but a thousand clients may ask for one and not
 * read it. So the bytes of all are bounded; beyond the bound the oldest answers are evicted. A client that reads has its answer at
 * once and is never evicted. Answers to admin keys are evicted last.
 */
import type { ServerResponse } from 'node:http';
import { MemoryBudget } from '../../core/queueing/memory-budget.js';

const MAX_BYTES = 67_108_864;
/** Smaller answers fit into the buffers of the system. */
const COUNTED = 16_384;

export class AnswerBudget {
  private readonly budget: MemoryBudget;
  evicted = 0;

  constructor(max = MAX_BYTES) {
    this.budget = new MemoryBudget(max);
  }

  /** Bytes written and not yet read. */
  get size(): number {
    return this.budget.used;
  }

  /** Counts an answer until it is read. Call it before the answer is written. */
  add(response: ServerResponse, bytes: number, isAdmins = false): void {
    if (bytes < COUNTED || response.closed) return;
    const evict = (): void => {
      this.evicted += 1;
      response.destroy();
    };
    const holder = { bytes, isLast: isAdmins, evict };
    response.once('close', () => this.budget.drop(holder));
    this.budget.hold(holder);
  }
}
