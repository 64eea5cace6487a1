/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type {
  InspectFetch,
  InspectGenerate,
  InspectParse,
  InspectRobots,
  InspectSchedule,
  InspectUrl,
  InspectedBatch,
  InspectedFetch,
  InspectedPage,
  InspectedRobots,
  InspectedSchedule,
  InspectedUrl,
} from './schemas.js';

/** Calls of the group `inspect`. */
export class InspectCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Ask why (not) a URL is fetched
   * The steps of a URL through normalizers and filters, its row, and every reason that prevents it from being fetched now, determined by the code of the jobs themselves. Changes nothing. Names are resolved (1 s at most) so that the egress guard can check their addresses; requests to other servers are sent with `robots` only.
   * `POST /v1/inspect/url`
   */
  url(body: InspectUrl, options: CallOptions = {}): Promise<InspectedUrl> {
    return this.transport.json<InspectedUrl>({
      method: 'POST',
      path: '/v1/inspect/url',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Parse a page that you send
   * Title, text, metadata and every link of the page, with whether it is kept, by the parser and the rules of PARSE. Nothing is stored.
   * `POST /v1/inspect/parse`
   */
  parse(body: InspectParse, options: CallOptions = {}): Promise<InspectedPage> {
    return this.transport.json<InspectedPage>({
      method: 'POST',
      path: '/v1/inspect/parse',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Evaluate a robots.txt that you send
   * Whether a crawler may fetch a URL by this file (RFC 9309), and the line that decides.
   * `POST /v1/inspect/robots`
   */
  robots(body: InspectRobots, options: CallOptions = {}): Promise<InspectedRobots> {
    return this.transport.json<InspectedRobots>({
      method: 'POST',
      path: '/v1/inspect/robots',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Fetch a URL once and report every step
   * One fetch as FETCH does it: robots.txt first, the egress guard, the limits of the configuration, redirects decided as the job would (http.redirect.max). Only robots.txt is stored; the page is neither stored nor returned. A hop ends after 20 s; at most 16 MiB are read.
   * `POST /v1/inspect/fetch`
   */
  fetch(body: InspectFetch, options: CallOptions = {}): Promise<InspectedFetch> {
    return this.transport.json<InspectedFetch>({
      method: 'POST',
      path: '/v1/inspect/fetch',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Ask when a page is fetched again
   * How UPDATEDB would update a page after a visit: next fetch, interval and status, by its own code and the schedule of the configuration. Neither page nor visit need exist.
   * `POST /v1/inspect/schedule`
   */
  schedule(body: InspectSchedule, options: CallOptions = {}): Promise<InspectedSchedule> {
    return this.transport.json<InspectedSchedule>({
      method: 'POST',
      path: '/v1/inspect/schedule',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Ask what GENERATE would select
   * The current selection of GENERATE, in a transaction that writes nothing: pages by host, and pages left out by reason. Ends after 10 s.
   * `POST /v1/inspect/generate`
   */
  generate(body: InspectGenerate, options: CallOptions = {}): Promise<InspectedBatch> {
    return this.transport.json<InspectedBatch>({
      method: 'POST',
      path: '/v1/inspect/generate',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }
}
