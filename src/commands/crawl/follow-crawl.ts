/** Polls a crawl until it has ended, draws its progress, and passes Ctrl-C on to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlProgress } from '../../../clients/typescript/src/generated/schemas.js';
import {
  hasEnded,
  type Orbweaver,
  OrbweaverProblem,
  OrbweaverUnreachable,
} from '../../../clients/typescript/src/orbweaver.js';
import type { Interrupts } from '../interrupts.js';
import type { StatusLine } from '../terminal.js';
import { figuresOf, progressLine, Speed } from './progress.js';

export interface Following {
  readonly status: StatusLine;
  readonly interrupts: Interrupts;
}

const LIVE_EVERY_MS = 300;
const EVERY_MS = 1_000;
/** Pages are counted as often as that takes a twentieth of the time, and at most twice a second. */
const COUNT_EVERY_MS = 500;
const COUNT_FRACTION = 20;
/** How long to wait for a server that restarts. */
const PATIENCE_MS = 60_000;

/** Follows a crawl to its end. @throws OrbweaverUnreachable if the server is gone for a minute, OrbweaverProblem */
export async function followCrawl(
  client: Orbweaver,
  id: string,
  { status, interrupts }: Following,
): Promise<CrawlProgress> {
  const speed = new Speed();
  const wake = passInterrupts(client, id, { status, interrupts });
  const waiting = waitingCount(client);
  let lastAnswerMs = performance.now();
  for (;;) {
    const now = performance.now();
    try {
      const crawl = await client.crawl.read(id);
      if (hasEnded(crawl)) return crawl;
      const figures = figuresOf(crawl, await waiting(crawl.crawlId), Date.now());
      speed.add(now, figures.fetched);
      status.show((width) => progressLine(figures, speed.perSecond, width));
      lastAnswerMs = now;
    } catch (error) {
      if (!passes(error) || now - lastAnswerMs > PATIENCE_MS) throw error;
      status.show(() => 'the server does not answer; waiting');
    }
    await Promise.race([sleep(status.live ? LIVE_EVERY_MS : EVERY_MS), wake()]);
  }
}

/** Counts the waiting pages, or returns the last count. */
function waitingCount(client: Orbweaver): (crawlId: string) => Promise<number> {
  let count = 0;
  let nextMs = 0;
  return async (crawlId) => {
    const begin = performance.now();
    if (begin < nextMs) return count;
    count = (await countPages(client, crawlId))['db_unfetched'] ?? 0;
    const end = performance.now();
    nextMs = end + Math.max(COUNT_EVERY_MS, COUNT_FRACTION * (end - begin));
    return count;
  };
}

/** Pages of a crawl by status, and those whose content was cut: `{ db_fetched: 12, cut: 1 }`. */
export async function countPages(client: Orbweaver, crawlId: string): Promise<Record<string, number>> {
  const query = { type: 'stats' as const, crawlId, confId: 'default', args: {} };
  const { status, truncated } = (await client.db.crawlDb(query)) as {
    status?: Record<string, { statusValue: string; count: string }>;
    truncated?: string;
  };
  const counts = Object.values(status ?? {}).map(({ statusValue, count }) => [statusValue, Number(count)] as const);
  return Object.fromEntries(truncated === undefined ? counts : [...counts, ['cut', Number(truncated)]]);
}

/** The first Ctrl-C stops the crawl, the second aborts it. Returns a promise that the next one resolves. */
function passInterrupts(client: Orbweaver, id: string, { status, interrupts }: Following): () => Promise<void> {
  let next = Promise.withResolvers<void>();
  interrupts.listen((count) => {
    status.log(
      count === 1
        ? 'stopping: what was fetched is brought in and written (Ctrl-C again: immediately)'
        : 'aborting (Ctrl-C again: leave everything)',
    );
    const call = count === 1 ? client.crawl.stop(id) : client.crawl.abort(id);
    call.catch((error: Error) => status.log(error.message));
    next.resolve();
    next = Promise.withResolvers<void>();
  });
  return () => next.promise;
}

/** A server that is being restarted or is busy. */
function passes(error: unknown): boolean {
  if (error instanceof OrbweaverProblem) return [429, 502, 503, 504].includes(error.status);
  return error instanceof OrbweaverUnreachable;
}
