/**
 * Orders the processing of fetched pages in a task: one page per iteration of the event loop.
 *
 * Pages can arrive faster than they are processed. Processing dozens in a row would delay the answers of the database, and so
 * the next statements of its transactions. Every second page is from the queue with most pages left. A host belongs to one
 * worker at a time: with equal rates, the largest host would be left to one worker at the end, while the others are idle.
 */
interface Waiter {
  /** Pages left in its queue. */
  readonly backlog: () => number;
  readonly resume: () => void;
}

export class OneByOne {
  /** In order of arrival. */
  private readonly waiting: Waiter[] = [];
  private isForLongest = false;
  private isEnded = false;

  /** Resolves in an iteration of its own. */
  iteration(backlog: () => number): Promise<void> {
    return new Promise((resume) => {
      if (this.isEnded) resume();
      else if (this.waiting.push({ backlog, resume }) === 1) setImmediate(() => this.next());
    });
  }

  /** Resumes all waiters; later calls do not wait. */
  end(): void {
    this.isEnded = true;
    for (const { resume } of this.waiting.splice(0)) resume();
  }

  private next(): void {
    const [waiter] = this.waiting.splice(this.isForLongest ? this.ofLongestQueue() : 0, 1);
    this.isForLongest = !this.isForLongest;
    waiter?.resume();
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
