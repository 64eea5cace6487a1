/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Live, type Transport } from '../transport.js';
import type { EventDto } from './schemas.js';

/** Calls of the group `event`. */
export class EventCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Follow a job
   * Server-sent events, or a list for `Accept: application/json`. In a stream, `id` is the event id, `event` its kind (state, task, progress, warning), `data` the event as JSON; a comment is sent after 15 s without an event. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`. When the job has ended, the stream ends after its last event with an event `end`, which contains the state and result of the job.
   * `GET /v1/jobs/{id}/events`
   */
  ofJob(
    id: string,
    query: {
      /** Only events after the one with this id. */
      after?: string;
      /** Maximum number of events. */
      limit?: number;
      /** Only events of this kind. A stream still ends with `end`. */
      kind?: 'state' | 'task' | 'progress' | 'warning';
    } = {},
    options: CallOptions = {},
  ): Promise<EventDto[]> {
    return this.transport.json<EventDto[]>({
      method: 'GET',
      path: `/v1/jobs/${segment(id)}/events`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Follow a job
   * Server-sent events, or a list for `Accept: application/json`. In a stream, `id` is the event id, `event` its kind (state, task, progress, warning), `data` the event as JSON; a comment is sent after 15 s without an event. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`. When the job has ended, the stream ends after its last event with an event `end`, which contains the state and result of the job.
   * `GET /v1/jobs/{id}/events`
   */
  ofJobLive(
    id: string,
    query: {
      /** Only events after the one with this id. */
      after?: string;
      /** Maximum number of events. */
      limit?: number;
      /** Only events of this kind. A stream still ends with `end`. */
      kind?: 'state' | 'task' | 'progress' | 'warning';
    } = {},
    options: CallOptions = {},
  ): Live {
    return this.transport.live({
      method: 'GET',
      path: `/v1/jobs/${segment(id)}/events`,
      accept: 'text/event-stream',
      query,
      options,
    });
  }

  /**
   * Follow a crawl
   * Server-sent events, or a list for `Accept: application/json`. In a stream, `id` is the event id, `event` its kind (state, task, progress, warning), `data` the event as JSON; a comment is sent after 15 s without an event. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`. The stream of a CRAWL job ends with an event `end` when it and its children have ended; that of a crawl id never ends, or with `until=end` ends in the same way when the crawl has no open job.
   * `GET /v1/crawls/{id}/events`
   */
  ofCrawl(
    id: string,
    query: {
      /** Only events after the one with this id. */
      after?: string;
      /** Maximum number of events. */
      limit?: number;
      /** Only events of this kind. A stream still ends with `end`. */
      kind?: 'state' | 'task' | 'progress' | 'warning';
      /** `end`: the stream of a crawl id ends when the crawl has no open job; that of a CRAWL job always ends. */
      until?: 'end';
    } = {},
    options: CallOptions = {},
  ): Promise<EventDto[]> {
    return this.transport.json<EventDto[]>({
      method: 'GET',
      path: `/v1/crawls/${segment(id)}/events`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Follow a crawl
   * Server-sent events, or a list for `Accept: application/json`. In a stream, `id` is the event id, `event` its kind (state, task, progress, warning), `data` the event as JSON; a comment is sent after 15 s without an event. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`. The stream of a CRAWL job ends with an event `end` when it and its children have ended; that of a crawl id never ends, or with `until=end` ends in the same way when the crawl has no open job.
   * `GET /v1/crawls/{id}/events`
   */
  ofCrawlLive(
    id: string,
    query: {
      /** Only events after the one with this id. */
      after?: string;
      /** Maximum number of events. */
      limit?: number;
      /** Only events of this kind. A stream still ends with `end`. */
      kind?: 'state' | 'task' | 'progress' | 'warning';
      /** `end`: the stream of a crawl id ends when the crawl has no open job; that of a CRAWL job always ends. */
      until?: 'end';
    } = {},
    options: CallOptions = {},
  ): Live {
    return this.transport.live({
      method: 'GET',
      path: `/v1/crawls/${segment(id)}/events`,
      accept: 'text/event-stream',
      query,
      options,
    });
  }
}
