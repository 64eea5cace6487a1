/**
 * The order in which a task reads what its requests have brought: one page in each iteration of the event loop.
 *
 * Pages come faster than they are read. Dozens of them read in a row would keep the answers of the database waiting, and the next
 * statements of its transactions with them. Every second page is one of the queue with most pages left, as a host is with one worker
 * at a time: fetched at the pace of all others, the largest would be left to one worker at the end, and the others idle.
 */
interface Waiter {
  /** Pages that are left of its queue. */
  readonly backlog: () => number;
  readonly goOn: () => void;
}

export class OneByOne {
  /** In the order in which they came. */
  private readonly waiting: Waiter[] = [];
  private isForLongest = false;
  private isEnded = false;

  /** Resolves in an iteration that no other waiter has. */
  iteration(backlog: () => number): Promise<void> {
    return new Promise((goOn) => {
      if (this.isEnded) goOn();
      else if (this.waiting.push({ backlog, goOn }) === 1) setImmediate(() => this.next());
    });
  }

  /** Nobody waits from now on. */
  end(): void {
    this.isEnded = true;
    for (const { goOn } of this.waiting.splice(0)) goOn();
  }

  private next(): void {
    const [waiter] = this.waiting.splice(this.isForLongest ? this.ofLongestQueue() : 0, 1);
    this.isForLongest = !this.isForLongest;
    waiter?.goOn();
    if (this.waiting.length > 0) setImmediate(() => this.next());
  }

  private ofLongestQueue(): number {
    let longest = 0;
    let pages = -1;
    this.waiting.forEach(({ backlog }, at) => {
      const left = backlog();
      if (left <= pages) return;
      longest = at;
      pages = left;
    });
    return longest;
  }
}
