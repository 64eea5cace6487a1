/**
 * Values by key, as many as their weight allows: the least recently used one is evicted. The newest stays
 * whatever it weighs, so what was just had is there to be used.
 */
export class WeightedLru<V> {
  /** In the order of their last use. */
  readonly #kept = new Map<string, { readonly value: V; readonly weight: number }>();
  #weight = 0;

  constructor(private readonly max: number) {}

  /** Of all values together. */
  get weight(): number {
    return this.#weight;
  }

  get(key: string): V | undefined {
    const entry = this.#kept.get(key);
    if (entry === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, weight: number): void {
    this.#drop(key);
    this.#kept.set(key, { value, weight });
    this.#weight += weight;
    while (this.#weight > this.max && this.#kept.size > 1) this.#drop(this.#kept.keys().next().value!);
  }

  /** Forgets all keys that begin so. */
  forget(prefix: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(prefix)) this.#drop(key);
  }

  #drop(key: string): void {
    this.#weight -= this.#kept.get(key)?.weight ?? 0;
    this.#kept.delete(key);
  }
}

let parts = 0;

/** What one of several users keeps in a memory that they share: under keys of its own, and no longer than it is open. */
export class LruPart<V> {
  readonly #prefix = `${++parts} `;
  #open = true;

  constructor(private readonly whole: WeightedLru<V>) {}

  get(key: string): V | undefined {
    return this.whole.get(this.#prefix + key);
  }

  set(key: string, value: V, weight: number): void {
    // What was under way when it was closed would stay for ever.
    if (this.#open) this.whole.set(this.#prefix + key, value, weight);
  }

  close(): void {
    this.#open = false;
    this.whole.forget(this.#prefix);
  }
}
