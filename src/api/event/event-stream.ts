/**
 * A log of events as server-sent events (WHATWG HTML, section 9.2): `id` is the event's id, `event` its kind, `data` the
 * event as JSON. The reader's pace is ours: nothing more is read from the database before the socket has taken what
 * went before.
 */
import type { Response } from 'express';
import type { JobEvent } from '../../job/job-events.js';
import type { Watch } from './event-hub.js';
import { eventOf } from './event.dto.js';

export interface Followed {
  readonly crawl: number;
  read(after: string, limit: number): Promise<JobEvent[]>;
  /** The last word, when no more events will come than there are now; else undefined. */
  end(): Promise<Record<string, unknown> | undefined>;
}

export interface StreamTimes {
  /** Milliseconds of silence after which a comment is sent, so that nobody takes the connection for dead. */
  heartbeatMs: number;
  /** Milliseconds for which a reader may take nothing; then it is cut off, and may resume. */
  stalledMs: number;
}

export const DEFAULT_TIMES: StreamTimes = { heartbeatMs: 15_000, stalledMs: 60_000 };

/** Events read at once: what one reader can hold in memory. */
const BATCH = 100;
const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  Connection: 'close',
};

/** Sends the events behind `after` and all that come, until the end, the reader's leave or `watch.end()`. */
export async function streamEvents(
  response: Response,
  followed: Followed,
  { watch, after, times = DEFAULT_TIMES }: { watch: Watch; after: string; times?: StreamTimes },
): Promise<void> {
  response.on('close', () => watch.end());
  response.writeHead(200, headers);
  let sentAt = 0;
  const silence = () => performance.now() - sentAt;
  const send = async (text: string) => {
    await writeText(response, text, times.stalledMs);
    sentAt = performance.now();
  };
  await send('retry: 1000\n\n');
  let last = after;
  while (!watch.over && !response.destroyed) {
    // The end is asked for first: what it ended with is then among the events that are read.
    const end = await followed.end();
    const events = await followed.read(last, BATCH);
    if (events.length > 0) await send(events.map(frameOf).join(''));
    last = events.at(-1)?.id ?? last;
    if (events.length === BATCH) continue;
    if (end) {
      await send(`event: end\ndata: ${JSON.stringify(end)}\n\n`);
      break;
    }
    // Woken or not: a watch wakes for other jobs of the crawl, too.
    const woken = await watch.wait(Math.max(0, times.heartbeatMs - silence()));
    if (!woken || silence() >= times.heartbeatMs) await send(':\n\n');
  }
  response.end();
}

const frameOf = (event: JobEvent): string =>
  `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(eventOf(event))}\n\n`;

/** Resolves when the socket can take more. A reader that takes nothing for too long is cut off. */
async function writeText(response: Response, text: string, stalledMs: number): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stalled = setTimeout(() => response.destroy(), stalledMs);
  response.once('drain', resolve).once('close', resolve);
  await promise;
  clearTimeout(stalled);
  response.off('drain', resolve).off('close', resolve);
}
