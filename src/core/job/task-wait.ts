/** What a running task waits for, as its worker reports it: for display, and for the worker to see which task may yield. */

export const waitKinds = ['parser', 'job', 'host', 'database'] as const;

export interface TaskWait {
  /**
   * `parser`: for a slow parser; `job`: for another job, which has a lock; `host`: for the queue of a host; `database`: for an
   * attempt that succeeds.
   */
  for: (typeof waitKinds)[number];
  /** In words. */
  what: string;
  /** The page being parsed; null without one. */
  url: string | null;
  /** Number of pages that wait with it and after it; null if it is not about pages. */
  pages: number | null;
  /** Since when: ISO 8601. With a page, since when that page is being parsed. */
  since: string;
}

/** `waiting for the parser: 37 pages, now http://site.test/a for 12 s`. @param nowMs epoch ms */
export function waitText({ what, url, since }: Pick<TaskWait, 'what' | 'url' | 'since'>, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(since)) / 1_000);
  const now = url === null ? '' : `, now ${url}`;
  return `waiting for ${what}${now}${seconds > 0 ? ` for ${seconds} s` : ''}`;
}
