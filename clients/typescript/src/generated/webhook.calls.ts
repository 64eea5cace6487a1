/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type {
  DeliveriesDto,
  DeliveryDto,
  MadeWebhookDto,
  NewWebhookDto,
  ReplayedDto,
  WebhookDto,
  WebhooksDto,
} from './schemas.js';

/** Calls of the group `webhook`. */
export class WebhookCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List webhooks
   * The webhooks, oldest first, without their secrets; URLs of other keys masked.
   * `GET /v1/webhooks`
   */
  list(
    query: {
      /** Webhooks at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind it. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<WebhooksDto> {
    return this.transport.json<WebhooksDto>({
      method: 'GET',
      path: '/v1/webhooks',
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Create a webhook
   * From now on each event of the wanted kinds is POSTed to `url` as JSON {id, type, time, jobId, crawlId, data, job}, signed in the header `Orbweaver-Signature` (docs/events.md shows how to check it). A delivery that is not answered with 2xx within 10 s is tried again, 12 times over about 28 hours; 410 switches the webhook off.
   * `POST /v1/webhooks`
   */
  create(body: NewWebhookDto, options: CallOptions = {}): Promise<MadeWebhookDto> {
    return this.transport.json<MadeWebhookDto>({
      method: 'POST',
      path: '/v1/webhooks',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Read a webhook
   * The webhook, without its secret; the URL of another key masked.
   * `GET /v1/webhooks/{id}`
   */
  read(id: string, options: CallOptions = {}): Promise<WebhookDto> {
    return this.transport.json<WebhookDto>({
      method: 'GET',
      path: `/v1/webhooks/${segment(id)}`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Delete a webhook
   * Nothing more is sent to it; its deliveries are forgotten. For the key that made it, and admins.
   * `DELETE /v1/webhooks/{id}`
   */
  remove(id: string, options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'DELETE', path: `/v1/webhooks/${segment(id)}`, options });
  }

  /**
   * Send events again
   * Makes new deliveries, in the order of the events, of all in the log behind `after` that the webhook asks for, 10,000 at most.
   * `POST /v1/webhooks/{id}/replay`
   */
  replay(
    id: string,
    query: {
      /** Events behind the one of this id. */
      after?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<ReplayedDto> {
    return this.transport.json<ReplayedDto>({
      method: 'POST',
      path: `/v1/webhooks/${segment(id)}/replay`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * List the deliveries of a webhook
   * What became of each event, newest first. They are kept as long as events are (`job.event.days`).
   * `GET /v1/webhooks/{id}/deliveries`
   */
  deliveries(
    id: string,
    query: {
      /** Webhooks at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind it. */
      cursor?: string;
      /** Deliveries in this state only. */
      state?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<DeliveriesDto> {
    return this.transport.json<DeliveriesDto>({
      method: 'GET',
      path: `/v1/webhooks/${segment(id)}/deliveries`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Send a delivery again
   * Whatever became of it, DEAD and DELIVERED ones too, with all its attempts. Its id stays, so the receiver can tell.
   * `POST /v1/webhooks/{id}/deliveries/{delivery}/replay`
   */
  replayOne(id: string, delivery: string, options: CallOptions = {}): Promise<DeliveryDto> {
    return this.transport.json<DeliveryDto>({
      method: 'POST',
      path: `/v1/webhooks/${segment(id)}/deliveries/${segment(delivery)}/replay`,
      accept: 'application/json',
      options,
    });
  }
}
