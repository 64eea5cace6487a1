/** The best documents by descending score; those with equal scores in the order of segments and documents. */
export interface ScoredDoc {
  readonly score: number;
  readonly seg: number;
  readonly doc: number;
}

/** Negative if `a` ranks before `b`. */
export const byScore = (a: ScoredDoc, b: ScoredDoc): number => b.score - a.score || a.seg - b.seg || a.doc - b.doc;

/** Creates no array, as it runs for thousands of documents a query. */
function swap<Doc>(heap: Doc[], a: number, b: number): void {
  const doc = heap[a]!;
  heap[a] = heap[b]!;
  heap[b] = doc;
}

/** Keeps the best `max` of the offered documents in a heap with the worst of them on top. */
export class TopHits<Doc extends ScoredDoc> {
  private readonly heap: Doc[] = [];

  /** @param after only documents that rank after this one are kept */
  constructor(
    private readonly max: number,
    private readonly after?: ScoredDoc,
  ) {}

  /** No document with a lower score is kept: a cheap test before an object is made. */
  get threshold(): number {
    return this.heap.length < this.max ? -Infinity : (this.heap[0]?.score ?? Infinity);
  }

  offer(hit: Doc): void {
    if (this.after && byScore(hit, this.after) <= 0) return;
    const { heap } = this;
    if (heap.length < this.max) {
      heap.push(hit);
      this.up(heap.length - 1);
    } else if (heap.length > 0 && byScore(hit, heap[0]!) < 0) {
      heap[0] = hit;
      this.down();
    }
  }

  /** The kept documents, the best first. */
  sorted(): Doc[] {
    return [...this.heap].sort(byScore);
  }

  private up(from: number): void {
    const { heap } = this;
    for (let at = from; at > 0;) {
      const parent = (at - 1) >>> 1;
      if (byScore(heap[at]!, heap[parent]!) < 0) return;
      swap(heap, at, parent);
      at = parent;
    }
  }

  private down(): void {
    const { heap } = this;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let last = at;
      if (left < heap.length && byScore(heap[left]!, heap[last]!) > 0) last = left;
      if (right < heap.length && byScore(heap[right]!, heap[last]!) > 0) last = right;
      if (last === at) return;
      swap(heap, at, last);
      at = last;
    }
  }
}
