/**
 * A log of events as server-sent events (WHATWG HTML §9.2): `id` is the event's id, `event` its kind, `data` the
 * event as JSON. The reader sets the pace (back-pressure): nothing more is read from the database before the socket has
 * accepted the previous events.
 */
import type { Response } from 'express';
import type { EventKind, EventSelection, JobEvent } from '../../job/job-event.store.js';
import type { Watch } from './event-hub.js';
import { eventOf } from './event.dto.js';

export interface Followed {
  readonly crawl: number;
  read(after: string, selection: EventSelection): Promise<JobEvent[]>;
  /** The data of the final event when no more events will be written; else undefined. */
  end(): Promise<Record<string, unknown> | undefined>;
}

export interface StreamTimes {
  /** Milliseconds without an event after which a comment is sent, so that no proxy or client times out. */
  heartbeatMs: number;
  /** Milliseconds for which a reader may read nothing; then it is disconnected, and may resume. */
  stalledMs: number;
}

interface FollowOptions {
  watch: Watch;
  after: string;
  /** Only events of this kind are sent. */
  kind?: EventKind | undefined;
  times?: StreamTimes;
}

export const DEFAULT_TIMES: StreamTimes = { heartbeatMs: 15_000, stalledMs: 60_000 };

/** Events read at once: bounds the memory of one stream. */
const BATCH = 100;
const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  Connection: 'close',
};

/** Sends the events after `after` and all later ones, until the last event, a disconnect or `watch.end()`. */
export async function streamEvents(
  response: Response,
  followed: Followed,
  { watch, after, kind, times = DEFAULT_TIMES }: FollowOptions,
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
  while (!watch.isEnded && !response.destroyed) {
    // The end is checked first: the events read below then include the last one.
    const end = await followed.end();
    const events = await followed.read(last, { limit: BATCH, kind });
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

/** Resolves when the socket accepts more. A reader that reads nothing for too long is disconnected. */
async function writeText(response: Response, text: string, stalledMs: number): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stalled = setTimeout(() => response.destroy(), stalledMs);
  response.once('drain', resolve).once('close', resolve);
  await promise;
  clearTimeout(stalled);
  response.off('drain', resolve).off('close', resolve);
}
