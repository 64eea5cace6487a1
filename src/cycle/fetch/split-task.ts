/**
 * How a part of a FETCH is divided when other workers have nothing to do.
 *
 * A part is a residue class: the pages whose queue hash leaves `part` when divided by `parts`. It falls into the classes
 * `part` and `part + parts` of twice as many parts, so all pages of a host stay together, nothing needs to be listed, and the
 * classes of a job never overlap, however often they are divided. Where the hosts of one half have nothing left, the other
 * half is divided instead, until two halves have work. The threads are divided with the pages, so that all parts end at about
 * the same time and those of a job never sum up to more than it may have; the threads of parts that are done go to the next
 * that is divided.
 *
 * Pure: what waits comes in, classes go out.
 */

/** Pages of one class, and the requests that its task may have open at once. */
export interface Partition {
  part: number;
  parts: number;
  threads: number;
}

/** Pages that wait, by the hash of their queue. */
export interface Waits {
  hash: number;
  n: number;
}

/** Pages in each half from which a division is worth its cost (a task, and robots.txt and leases taken again). */
export const WORTH_DIVIDING = 25;
/** Halvings looked at: hosts whose hashes have so many bits in common are not distinguished. */
const MAX_HALVINGS = 16;

/** What decides how many threads a class gets. */
export interface Work {
  /** Its pages; of one host no more than its threads come to while all others do their part. */
  pages: number;
  /** Threads that its hosts can bear at once. */
  sustainable: number;
}

/**
 * Deals threads out, one for each class at least: the next one goes where most pages wait for a thread and one more can be
 * borne. What no class can bear goes on by the pages alone: there may be hosts that nobody knew of.
 */
export function dealOut(threads: number, classes: readonly Work[]): number[] {
  const dealt = classes.map(() => 1);
  const neediest = (open: (one: Work, has: number) => boolean): number =>
    classes.reduce(
      (best, one, i) =>
        open(one, dealt[i]!) && (best < 0 || one.pages / dealt[i]! > classes[best]!.pages / dealt[best]!) ? i : best,
      -1,
    );
  for (let left = threads - classes.length; left > 0; left--) {
    const sustaining = neediest(({ sustainable }, has) => has < sustainable);
    dealt[sustaining >= 0 ? sustaining : neediest(() => true)]!++;
  }
  return dealt;
}

const count = (waits: readonly Waits[]): number => waits.reduce((sum, { n }) => sum + n, 0);

/**
 * The classes that a part falls into: first the one that its task keeps, then those of new tasks. Undefined when nothing is
 * gained: one host, too few pages, or too few threads.
 * @param waits of this part, the largest hosts; hosts that are not among them follow their class
 * @param free threads of the job that no task has
 * @param perQueue threads that a host bears (`fetcher.threads.per.queue`)
 */
export function divide(
  own: Partition,
  waits: readonly Waits[],
  free: number,
  perQueue = 1,
): [Partition, ...Partition[]] | undefined {
  const pool = own.threads + Math.max(0, free);
  const set: Partition[] = [];
  let rest = waits;
  let { part, parts } = own;
  for (let halvings = 0; halvings < MAX_HALVINGS && rest.length > 1; halvings++) {
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
      const max = (perQueue * count(rest)) / threads;
      const [mine, theirs] = dealOut(threads, [workOf(near, max, perQueue), workOf(other, max, perQueue)]);
      return [{ part, parts, threads: mine! }, { part: far, parts, threads: theirs! }, ...set];
    }
    set.push({ part: large === near ? far : part, parts, threads: 1 });
    rest = large;
    if (large === other) part = far;
  }
  return undefined;
}

const workOf = (waits: readonly Waits[], max: number, perQueue: number): Work => ({
  pages: waits.reduce((sum, { n }) => sum + Math.min(n, max), 0),
  sustainable: waits.length * perQueue,
});
