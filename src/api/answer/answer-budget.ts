/**
 * Memory budget for answers that are written but not yet read. An answer is small, but a thousand clients may request one and not
 * read it. So the sum of their bytes is bounded; beyond it the oldest answers are evicted. A client that reads receives its
 * answer at once and is never evicted. Answers to admin keys are evicted last.
 */
import type { ServerResponse } from 'node:http';
import { MemoryBudget } from '../../core/queueing/memory-budget.js';

const MAX_BYTES = 67_108_864;
/** Smaller answers fit into the socket buffers of the operating system. */
const MIN_COUNTED_BYTES = 16_384;

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

  /** Counts an answer until it has been read. Call this before writing it. */
  add(response: ServerResponse, bytes: number, isAdmins = false): void {
    if (bytes < MIN_COUNTED_BYTES || response.closed) return;
    const evict = (): void => {
      this.evicted += 1;
      response.destroy();
    };
    const holder = { bytes, isLast: isAdmins, evict };
    response.once('close', () => this.budget.drop(holder));
    this.budget.hold(holder);
  }
}
