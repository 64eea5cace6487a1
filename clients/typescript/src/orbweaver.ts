import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerEvent } from './event-stream.js';
import { Calls } from './generated/calls.js';
import type { JobInfo, JobProgress, JobState } from './generated/schemas.js';
import { OrbweaverProblem, OrbweaverUnreachable } from './problem.js';
import { segment, Transport, type CallOptions, type QueryValue, type TransportOptions } from './transport.js';

/**
 * The client. Every call of the API stands in a group (`client.job.create(…)`), generated from openapi.json; here are the
 * few things that take more than one request: waiting for a job, following events over broken connections, and reading
 * all pages of a crawl.
 */

/** States that a job never leaves. */
const FINAL: readonly JobState[] = ['FINISHED', 'FAILED', 'KILLED'];

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

const USUAL_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

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
   * Events of a job, from its first one or behind `lastEventId`, until its last. A connection that breaks is made again
   * and goes on where it stood (`Last-Event-ID`), after a pause that grows while nothing comes.
   * @throws OrbweaverProblem when the server refuses, OrbweaverUnreachable after `attempts` connections in vain
   */
  events(jobId: string, options: EventOptions = {}): AsyncIterableIterator<ServerEvent> {
    return this.follow(`/v1/jobs/${segment(jobId)}/events`, options);
  }

  /** Events of a crawl and of all its jobs, as `events`. */
  crawlEvents(crawlJobId: string, options: EventOptions = {}): AsyncIterableIterator<ServerEvent> {
    return this.follow(`/v1/crawls/${segment(crawlJobId)}/events`, options);
  }

  /** Rows of the page table, one by one, in bounded memory: `GET /v1/pages` as JSON lines. */
  pages<Page = Record<string, unknown>>(
    query: Readonly<Record<string, QueryValue>>,
    options: CallOptions = {},
  ): AsyncIterableIterator<Page> {
    const accept = 'application/x-ndjson';
    return this.transport.lines<Page>({
      method: 'GET',
      path: '/v1/pages',
      accept,
      query: { limit: 'all', ...query },
      options,
    });
  }

  private async *follow(path: string, options: EventOptions): AsyncGenerator<ServerEvent> {
    const { signal, attempts = 10 } = options;
    let lastId = options.lastEventId ?? '';
    let retry: number | undefined;
    for (let vain = 0; ; vain += 1) {
      const headers: Record<string, string> = lastId === '' ? {} : { 'Last-Event-ID': lastId };
      const live = this.transport.live({
        method: 'GET',
        path,
        accept: 'text/event-stream',
        options: { headers, ...(signal && { signal }) },
      });
      try {
        for await (const event of live) {
          vain = 0;
          lastId = event.id;
          yield event;
        }
        // An orderly end: the server has told everything.
        return;
      } catch (error) {
        if (!canBeTriedAgain(error) || vain + 1 >= attempts) throw error;
        retry = live.state.retry ?? retry;
        lastId = live.state.id || lastId;
      }
      await sleep(
        Math.min(LONGEST_RETRY_MS, (retry ?? USUAL_RETRY_MS) * 2 ** vain),
        undefined,
        signal ? { signal } : {},
      );
    }
  }
}

/** Has this job reached a state that it never leaves? */
export function hasEnded(job: Pick<JobInfo, 'state'>): boolean {
  return FINAL.includes(job.state);
}

function canBeTriedAgain(error: unknown): boolean {
  if (error instanceof OrbweaverProblem) return error.status === 503 || error.status === 429;
  return error instanceof OrbweaverUnreachable;
}

export { OrbweaverProblem, OrbweaverUnreachable } from './problem.js';
export type { ServerEvent } from './event-stream.js';
export type { Bytes, CallOptions, Live, TransportOptions } from './transport.js';
