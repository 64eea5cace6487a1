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
   * The webhooks, oldest first, without their secrets; URLs of other keys are masked.
   * `GET /v1/webhooks`
   */
  list(
    query: {
      /** Maximum number of webhooks. */
      limit?: number;
      /** `cursor` of the previous answer: continues after it. */
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
   * From now on each event of the given kinds is POSTed to `url` as JSON {id, type, time, jobId, crawlId, data, job}, signed in the header `Orbweaver-Signature` (docs/events.md shows how to check it). A delivery that is not answered with 2xx within 10 s is retried: 12 attempts over about 27 hours. A response 410 turns the webhook off.
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
   * The webhook, without its secret; the URL of another key is masked.
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
   * Nothing more is sent to it, and its deliveries are deleted. Allowed for the key that created it, and for admins.
   * `DELETE /v1/webhooks/{id}`
   */
  remove(id: string, options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'DELETE', path: `/v1/webhooks/${segment(id)}`, options });
  }

  /**
   * Send events again
   * Creates new deliveries, in order of the events, for all logged events after `after` that match the webhook, at most 10,000.
   * `POST /v1/webhooks/{id}/replay`
   */
  replay(
    id: string,
    query: {
      /** Only events after the one with this id. */
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
   * The delivery of each event with its result, newest first. Deliveries are kept as long as events (`job.event.days`).
   * `GET /v1/webhooks/{id}/deliveries`
   */
  deliveries(
    id: string,
    query: {
      /** Maximum number of webhooks. */
      limit?: number;
      /** `cursor` of the previous answer: continues after it. */
      cursor?: string;
      /** Only deliveries in this state. */
      state?: 'WAITING' | 'DELIVERED' | 'DEAD';
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
   * Sends any delivery again, also a DEAD or DELIVERED one, with a new set of attempts. Its id stays the same, so that the receiver can recognize it.
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
