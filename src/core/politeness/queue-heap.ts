/**
 * A binary heap of values by time: the earliest is on top, of equal times the one that was put first. Each value is in it
 * at most once and can be moved or removed, all in O(log n).
 */
interface Node<V> {
  readonly value: V;
  key: number;
  /** Increases with each change of key: equal times are served in order of arrival. */
  order: number;
  at: number;
}

export class QueueHeap<V> {
  readonly #heap: Node<V>[] = [];
  readonly #nodes = new Map<V, Node<V>>();
  #inserted = 0;

  /** For tests. */
  get size(): number {
    return this.#heap.length;
  }

  /** The earliest, or undefined when there is none. */
  peek(): V | undefined {
    return this.#heap[0]?.value;
  }

  /** The time of the earliest; Infinity when there is none. */
  get earliest(): number {
    return this.#heap[0]?.key ?? Infinity;
  }

  /** Adds a value, or moves it; a value that has this key already keeps its order among equals. */
  put(value: V, key: number): void {
    const known = this.#nodes.get(value);
    if (known?.key === key) return;
    this.#inserted += 1;
    const node = known ?? { value, key, order: this.#inserted, at: this.#heap.length };
    node.key = key;
    node.order = this.#inserted;
    if (known === undefined) {
      this.#heap.push(node);
      this.#nodes.set(value, node);
    }
    this.#sift(node);
  }

  /** Removes a value, if present. */
  remove(value: V): void {
    const node = this.#nodes.get(value);
    if (node === undefined) return;
    this.#nodes.delete(value);
    const last = this.#heap.pop();
    if (last === undefined || last === node) return;
    this.#seat(last, node.at);
    this.#sift(last);
  }

  /** Moves a node up or down to where its key belongs. */
  #sift(node: Node<V>): void {
    for (let parent = this.#parentOf(node); parent !== undefined && before(node, parent);) {
      this.#swap(node, parent);
      parent = this.#parentOf(node);
    }
    for (let child = this.#firstChildOf(node); child !== undefined && before(child, node);) {
      this.#swap(node, child);
      child = this.#firstChildOf(node);
    }
  }

  #parentOf(node: Node<V>): Node<V> | undefined {
    return node.at === 0 ? undefined : this.#heap[(node.at - 1) >> 1];
  }

  #firstChildOf(node: Node<V>): Node<V> | undefined {
    const left = this.#heap[2 * node.at + 1];
    const right = this.#heap[2 * node.at + 2];
    return left !== undefined && right !== undefined && before(right, left) ? right : left;
  }

  #swap(a: Node<V>, b: Node<V>): void {
    const at = a.at;
    this.#seat(a, b.at);
    this.#seat(b, at);
  }

  #seat(node: Node<V>, at: number): void {
    node.at = at;
    this.#heap[at] = node;
  }
}

const before = <V>(a: Node<V>, b: Node<V>): boolean => a.key < b.key || (a.key === b.key && a.order < b.order);
