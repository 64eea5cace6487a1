/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type { InspectUrl, InspectedUrl } from './schemas.js';

/** Calls of the group `inspect`. */
export class InspectCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Ask why (not) a URL is fetched
   * The way of a URL through normalizers and filters, its row, and every reason that keeps it from being fetched now, by the code of the jobs themselves. Changes nothing. Names are resolved (1 s at most) so that the egress guard can judge their addresses; other servers are asked with `robots` only.
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
}
