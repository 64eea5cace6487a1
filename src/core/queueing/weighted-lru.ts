/**
 * LRU cache limited by the weight of its values. The newest value is kept whatever its weight, so that its caller can use it.
 */
export class WeightedLru<V> {
  /** In order of last use. */
  readonly #kept = new Map<string, { readonly value: V; readonly weight: number }>();
  #weight = 0;
  #prefixes = 0;

  constructor(private readonly max: number) {}

  /** Weight of all values together (for tests). */
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

  /** Sets a value, unless it and the values of `others`, which are used with it, exceed the limit. */
  setBeside(others: readonly string[], key: string, { value, weight }: { value: V; weight: number }): void {
    let beside = 0;
    for (const other of others) if (this.get(other) !== undefined) beside += this.#kept.get(other)!.weight;
    if (beside === 0 || beside + weight <= this.max) this.set(key, value, weight);
  }

  /** A prefix that no other keys have. */
  newPrefix(): string {
    return `${++this.#prefixes} `;
  }

  /** Removes all keys with this prefix. */
  forget(prefix: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(prefix)) this.#drop(key);
  }

  #drop(key: string): void {
    this.#weight -= this.#kept.get(key)?.weight ?? 0;
    this.#kept.delete(key);
  }
}

/** The keys of one of several users of a cache: they are removed when it is closed. */
export class LruNamespace<V> {
  readonly #prefix: string;
  #open = true;

  constructor(private readonly whole: WeightedLru<V>) {
    this.#prefix = whole.newPrefix();
  }

  get(key: string): V | undefined {
    return this.whole.get(this.#prefix + key);
  }

  set(key: string, value: V, weight: number): void {
    // A value that arrives after `close` would never be removed.
    if (this.#open) this.whole.set(this.#prefix + key, value, weight);
  }

  close(): void {
    this.#open = false;
    this.whole.forget(this.#prefix);
  }
}
