import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerEvent, StreamState } from './event-stream.js';
import { Calls } from './generated/calls.js';
import type { PageCalls } from './generated/page.calls.js';
import type { JobInfo, JobProgress, JobState, PageDto } from './generated/schemas.js';
import { OrbweaverProblem, OrbweaverUnreachable } from './problem.js';
import { segment, Transport, type CallOptions, type TransportOptions } from './transport.js';

/**
 * The client. Every call of the API is in a group (`client.job.create(…)`), generated from openapi.json; here are the
 * few things that take more than one request: waiting for a job, following events over broken connections, and reading
 * all pages of a crawl.
 */

/** States that a job never leaves. */
const FINAL: readonly JobState[] = ['FINISHED', 'FAILED', 'KILLED'];

/** Which pages: crawl, prefix, host, status, batch, limit, cursor. */
export type PagesQuery = NonNullable<Parameters<PageCalls['listLines']>[0]>;

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds between two looks; default 500. */
  readonly every?: number;
}

export interface EventOptions {
  readonly signal?: AbortSignal;
  /** Events behind this id only. */
  readonly lastEventId?: string;
  /** Connections in a row without an event before it is given up; default 10. */
  readonly attempts?: number;
}

export interface CrawlEventOptions extends EventOptions {
  /** Of a crawl id: `end` ends when no job of the crawl is under way. */
  readonly until?: 'end';
}

/** An event of a job. */
export interface FollowedEvent {
  /** Go on behind it with `lastEventId`. */
  readonly id: string;
  /** state, task, progress, warning; at last `end`, whose data are the job's `state`, `msg` and `result`. */
  readonly kind: string;
  /** The job that it is of. */
  readonly jobId: string;
  /** ISO 8601; the end has none. */
  readonly time: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

const DEFAULT_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

export class Orbweaver extends Calls {
  constructor(options: TransportOptions | string) {
    super(new Transport(typeof options === 'string' ? { url: options } : options));
  }

  /** Waits until a job has ended and answers it. @throws the signal's reason when it is aborted */
  async waitFor(jobId: string, { signal, every = 500 }: WaitOptions = {}): Promise<JobProgress> {
    for (;;) {
      const job = await this.job.read(jobId, signal ? { signal } : {});
      if (hasEnded(job)) return job;
      await sleep(every, undefined, signal ? { signal } : {});
    }
  }

  /**
   * Events of a job, from its first one or after `lastEventId`; the last has the kind `end`. A connection that breaks is
   * made again and continues after its last event (`Last-Event-ID`), after a pause that grows while nothing comes.
   * @throws OrbweaverProblem when the server refuses, OrbweaverUnreachable after `attempts` connections in vain
   */
  events(jobId: string, options: EventOptions = {}): AsyncIterableIterator<FollowedEvent> {
    return this.follow(`/v1/jobs/${segment(jobId)}/events`, options);
  }

  /**
   * Events of a CRAWL job and of the jobs that it makes, as `events`. A crawl id instead gives all its jobs: without an end, or
   * `until: 'end'` of its jobs.
   */
  crawlEvents(id: string, { until, ...options }: CrawlEventOptions = {}): AsyncIterableIterator<FollowedEvent> {
    const query = until === undefined ? '' : `?until=${until}`;
    return this.follow(`/v1/crawls/${segment(id)}/events${query}`, options);
  }

  /** Pages of a crawl, one by one, in bounded memory: all of them, unless the query says otherwise. */
  pages(query: PagesQuery, options: CallOptions = {}): AsyncIterableIterator<PageDto> {
    return this.page.listLines({ limit: 'all', ...query }, options);
  }

  private async *follow(path: string, options: EventOptions): AsyncGenerator<FollowedEvent> {
    const { signal, attempts = 10 } = options;
    const state: StreamState = { id: options.lastEventId ?? '', retry: undefined };
    for (let vain = 0; ; vain += 1) {
      const headers: Record<string, string> = state.id === '' ? {} : { 'Last-Event-ID': state.id };
      const call = {
        method: 'GET',
        path,
        accept: 'text/event-stream',
        options: { headers, ...(signal && { signal }) },
      };
      let failure: unknown = new OrbweaverUnreachable(`GET ${path}: the stream ended before its end`);
      try {
        for await (const event of this.transport.live(call, state)) {
          vain = 0;
          yield followed(event);
          if (event.event === 'end') return;
        }
      } catch (error) {
        if (!canBeTriedAgain(error)) throw error;
        failure = error;
      }
      if (vain + 1 >= attempts) throw failure;
      const pause = Math.min(MAX_RETRY_MS, (state.retry ?? DEFAULT_RETRY_MS) * 2 ** vain);
      await sleep(pause, undefined, signal ? { signal } : {});
    }
  }
}

function followed({ id, event, data }: ServerEvent): FollowedEvent {
  const fields = JSON.parse(data) as Partial<FollowedEvent> & Record<string, unknown>;
  return {
    id,
    kind: event,
    jobId: fields.jobId ?? '',
    time: fields.time,
    data: event === 'end' ? fields : (fields.data ?? {}),
  };
}

/** Has this job reached a state that it never leaves? */
export function hasEnded(job: Pick<JobInfo, 'state'>): boolean {
  return FINAL.includes(job.state);
}

/** Answers of a server that has too much to do, and of a proxy whose server is away: 429, 502, 503, 504. */
function canBeTriedAgain(error: unknown): boolean {
  if (error instanceof OrbweaverProblem) return [429, 502, 503, 504].includes(error.status);
  return error instanceof OrbweaverUnreachable;
}

export { OrbweaverProblem, OrbweaverUnreachable } from './problem.js';
export type { ServerEvent } from './event-stream.js';
export type { Bytes, CallOptions, Live, TransportOptions } from './transport.js';
