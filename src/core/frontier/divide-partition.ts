/**
 * Divides a partition of a FETCH when other workers are idle.
 *
 * A partition is a residue class: the pages whose queue hash is `part` modulo `parts`. It consists of the classes `part` and
 * `part + parts` modulo twice `parts`, so all pages of a host stay together, no list of hosts is needed, and the classes of a
 * job never overlap, however often they are divided. If the hosts of one half have no pages left, the other half is divided
 * instead, until two halves have work. Threads are divided with the pages, so that all partitions end at about the same time and
 * the sum over a job never exceeds its limit; threads of finished partitions are assigned at the next division.
 *
 * A pure function of the waiting pages.
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

/** Pages in each half that make a division worth its cost (a task; robots.txt and leases are acquired again). */
export const WORTH_DIVIDING = 25;
/** Maximum of halvings: hosts whose hashes have that many bits in common are not separated. */
const MAX_HALVINGS = 16;

/** Work of a class, by which threads are assigned. */
export interface ThreadWork {
  /** Its pages; per host at most as many as the threads of the host can fetch while the whole work is done. */
  pages: number;
  /** Threads that its hosts can use at once. */
  sustainable: number;
}

/**
 * Assigns threads, at least one to each class: the next thread is assigned to the class with most pages per thread among those
 * that can use another one. Surplus threads are assigned by the pages alone: there may be hosts that are not known yet.
 */
export function assignThreads(threads: number, classes: readonly ThreadWork[]): number[] {
  const assigned = classes.map(() => 1);
  const neediest = (open: (work: ThreadWork, has: number) => boolean): number =>
    classes.reduce(
      (best, work, i) =>
        open(work, assigned[i]!) && (best < 0 || work.pages / assigned[i]! > classes[best]!.pages / assigned[best]!)
          ? i
          : best,
      -1,
    );
  for (let left = threads - classes.length; left > 0; left--) {
    const sustaining = neediest(({ sustainable }, has) => has < sustainable);
    assigned[sustaining >= 0 ? sustaining : neediest(() => true)]!++;
  }
  return assigned;
}

const countPages = (waits: readonly Waits[]): number => waits.reduce((sum, { n }) => sum + n, 0);

/**
 * The classes of a divided partition: first the one that its task keeps, then those of new tasks. Undefined if a division gains
 * nothing: one host, too few pages, or too few threads.
 * @param waits the largest hosts of this partition; other hosts are divided by their hash, too
 * @param free threads of the job that no task has
 * @param perQueue threads per host (`fetcher.threads.per.queue`)
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
    const [large, small] = countPages(near) >= countPages(other) ? [near, other] : [other, near];
    if (countPages(small) >= WORTH_DIVIDING) {
      const threads = pool - set.length;
      if (threads < 2) return undefined;
      const max = (perQueue * countPages(rest)) / threads;
      const [mine, theirs] = assignThreads(threads, [workOf(near, max, perQueue), workOf(other, max, perQueue)]);
      return [{ part, parts, threads: mine! }, { part: far, parts, threads: theirs! }, ...set];
    }
    set.push({ part: large === near ? far : part, parts, threads: 1 });
    rest = large;
    if (large === other) part = far;
  }
  return undefined;
}

const workOf = (waits: readonly Waits[], max: number, perQueue: number): ThreadWork => ({
  pages: waits.reduce((sum, { n }) => sum + Math.min(n, max), 0),
  sustainable: waits.length * perQueue,
});
