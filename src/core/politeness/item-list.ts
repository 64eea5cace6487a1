/** A FIFO queue; `push` and `shift` take constant time (`shift` of an array moves all other items). */
export class ItemList<T> {
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Puts an item before all others. */
  unshift(item: T): void {
    if (this.#head === 0) this.#items.unshift(item);
    else this.#items[--this.#head] = item;
  }

  /** The oldest item; call it only when there is one. */
  shift(): T {
    const item = this.#items[this.#head] as T;
    this.#head += 1;
    // Once half of the array is used up, it is copied without its front: each item moves once on average, and can be freed.
    if (this.#head >= 32 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  takeAll(): T[] {
    const items = this.#items.slice(this.#head);
    this.#items = [];
    this.#head = 0;
    return items;
  }
}
