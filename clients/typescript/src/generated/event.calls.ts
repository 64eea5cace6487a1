/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Live, type Transport } from '../transport.js';
import type { EventDto } from './schemas.js';

/** Calls of the group `event`. */
export class EventCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Follow a job
   * Server-sent events, or a list for `Accept: application/json`. Of a stream, `id` is the event, `event` its kind (state, task, progress, warning), `data` the event as JSON; a comment comes after 15 s of silence. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`. The stream ends, after the last event of a job that has ended, with an event `end` that has its state and result.
   * `GET /v1/jobs/{id}/events`
   */
  ofJob(
    id: string,
    query: {
      /** Events after the one of this id. */
      after?: string;
      /** Events at most. */
      limit?: number;
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
   * Server-sent events, or a list for `Accept: application/json`. Of a stream, `id` is the event, `event` its kind (state, task, progress, warning), `data` the event as JSON; a comment comes after 15 s of silence. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`. The stream ends, after the last event of a job that has ended, with an event `end` that has its state and result.
   * `GET /v1/jobs/{id}/events`
   */
  ofJobLive(
    id: string,
    query: {
      /** Events after the one of this id. */
      after?: string;
      /** Events at most. */
      limit?: number;
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
   * Server-sent events, or a list for `Accept: application/json`. Of a stream, `id` is the event, `event` its kind (state, task, progress, warning), `data` the event as JSON; a comment comes after 15 s of silence. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`. The stream of a CRAWL job ends with an event `end` when it and its children have ended; that of a crawl id goes on for ever, or with `until=end` ends so when no job of the crawl is under way.
   * `GET /v1/crawls/{id}/events`
   */
  ofCrawl(
    id: string,
    query: {
      /** Events after the one of this id. */
      after?: string;
      /** Events at most. */
      limit?: number;
      /** `end`: the stream of a crawl id ends when no job of the crawl is under way; that of a CRAWL job ends anyway. */
      until?: string;
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
   * Server-sent events, or a list for `Accept: application/json`. Of a stream, `id` is the event, `event` its kind (state, task, progress, warning), `data` the event as JSON; a comment comes after 15 s of silence. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`. The stream of a CRAWL job ends with an event `end` when it and its children have ended; that of a crawl id goes on for ever, or with `until=end` ends so when no job of the crawl is under way.
   * `GET /v1/crawls/{id}/events`
   */
  ofCrawlLive(
    id: string,
    query: {
      /** Events after the one of this id. */
      after?: string;
      /** Events at most. */
      limit?: number;
      /** `end`: the stream of a crawl id ends when no job of the crawl is under way; that of a CRAWL job ends anyway. */
      until?: string;
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
