/**
 * How a part of a FETCH is divided when other workers have nothing to do.
 *
 * A part is a residue class: the pages whose queue hash leaves `part` when divided by `parts`. It falls into the classes
 * `part` and `part + parts` of twice as many parts, so all pages of a host stay together, nothing needs to be listed, and the
 * classes of a job never overlap, however often they are divided. Where the hosts of one half have nothing left, the other
 * half is divided instead, until two halves have work. The threads are divided with the pages, so that those of a job never
 * sum up to more than it may have; the threads of parts that are done go to the next that is divided.
 *
 * Pure: what waits comes in, classes go out.
 */

/** Pages of one class, and the requests that its task may have open at once. */
export interface Part {
  part: number;
  parts: number;
  threads: number;
}

/** Pages that wait, by the hash of their queue. */
export interface Waits {
  hash: number;
  n: number;
}

/** Pages in each half from which a division is worth its cost (a task, and robots.txt and leases taken anew). */
export const WORTH_DIVIDING = 25;
/** Halvings looked at: hosts whose hashes have so many bits in common are not told apart. */
const MOST_HALVINGS = 16;

const count = (waits: readonly Waits[]): number => waits.reduce((sum, { n }) => sum + n, 0);

/**
 * The classes that a part falls into: first the one that its task keeps, then those of new tasks. Undefined when nothing is
 * gained: one host, too few pages, or too few threads.
 * @param waits of this part, the largest hosts; hosts that are not among them follow their class
 * @param free threads of the job that no task has
 */
export function divide(own: Part, waits: readonly Waits[], free: number): [Part, ...Part[]] | undefined {
  const pool = own.threads + Math.max(0, free);
  const set: Part[] = [];
  let rest = waits;
  let { part, parts } = own;
  for (let halvings = 0; halvings < MOST_HALVINGS && rest.length > 1; halvings++) {
    const far = part + parts;
    parts *= 2;
    const [near, other] = [
      rest.filter(({ hash }) => hash % parts === part),
      rest.filter(({ hash }) => hash % parts === far),
    ];
    const [large, small] = count(near) >= count(other) ? [near, other] : [other, near];
    if (count(small) >= WORTH_DIVIDING) {
      const threads = pool - set.length;
      if (threads < 2) return undefined;
      const half = Math.ceil(threads / 2);
      return [{ part, parts, threads: half }, { part: far, parts, threads: threads - half }, ...set];
    }
    set.push({ part: large === near ? far : part, parts, threads: 1 });
    rest = large;
    if (large === other) part = far;
  }
  return undefined;
}
