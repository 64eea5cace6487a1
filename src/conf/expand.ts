/**
 * `${name}` in values, as Hadoop's Configuration does it: the first innermost reference is replaced by the value of
 * the property it names, again and again, at most 20 times. A name without a value stays as written. We refuse what
 * Hadoop refuses, a value that refers to itself, and bound the length so that doubling references cannot fill memory.
 */

const mostSteps = 20;
const longestValue = 4_194_304;
const innermost = /\$\{([^{}$\s]{1,200})\}/;

/**
 * The text with its references replaced, or undefined when they are cyclic, too many or too long.
 * @param valueOf the raw text of a property, or undefined where there is none
 */
export function expand(text: string, valueOf: (name: string) => string | undefined): string | undefined {
  let value = text;
  const done = new Set<string>();
  for (let step = 0; step < mostSteps; step++) {
    const reference = innermost.exec(value);
    const name = reference?.[1];
    const replacement = name === undefined ? undefined : valueOf(name);
    if (reference === null || name === undefined || replacement === undefined) return value;
    const next = value.slice(0, reference.index) + replacement + value.slice(reference.index + reference[0].length);
    if (next.length > longestValue || replacement.includes(reference[0]) || done.has(next)) return undefined;
    done.add(value);
    value = next;
  }
  return innermost.test(value) ? undefined : value;
}
