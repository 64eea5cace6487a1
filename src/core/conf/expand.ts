/**
 * `${name}` in values, as Hadoop's Configuration does it: the first innermost reference is replaced by the value of
 * the property it names, repeatedly, at most 20 times. A name without a value stays as written. We refuse what
 * Hadoop refuses, a value that refers to itself, and limit the total size of all values of a configuration, so that references
 * that double each other exhaust neither memory nor an answer.
 */

const MAX_STEPS = 20;
/** Characters by which references may be replaced, in all values together. */
const MAX_EXPANDED = 4_194_304;
const INNERMOST = /\$\{([^{}$\s]{1,200})\}/;

/** Replaces the references in the values of one configuration. */
export class VariableExpansion {
  private left = MAX_EXPANDED;

  /** @param valueOf the raw text of a property, or undefined if there is none */
  constructor(private readonly valueOf: (name: string) => string | undefined) {}

  /**
   * The text with its references replaced, or undefined if they are cyclic or too many, or if their replacements are
   * longer than the remaining limit. A shorter value may follow.
   */
  expand(text: string): string | undefined {
    let value = text;
    const done = new Set<string>();
    for (let step = 0; step < MAX_STEPS; step++) {
      const reference = INNERMOST.exec(value);
      const name = reference?.[1];
      const replacement = name === undefined ? undefined : this.valueOf(name);
      if (reference === null || name === undefined || replacement === undefined) return value;
      if (replacement.length > this.left) return undefined;
      this.left -= replacement.length;
      const next = value.slice(0, reference.index) + replacement + value.slice(reference.index + reference[0].length);
      if (replacement.includes(reference[0]) || done.has(next)) return undefined;
      done.add(value);
      value = next;
    }
    return INNERMOST.test(value) ? undefined : value;
  }
}
