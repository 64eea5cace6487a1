/**
 * Webhooks, their deliveries, and replays. Worker processes send the deliveries (job/webhook-sender.ts); these routes only
 * read and write rows.
 */
import { randomBytes } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { ConfStore } from '../../conf/conf.store.js';
import { isActive } from '../../core/job/webhook-states.js';
import { MAX_WAITING, type Webhook, WebhookStore } from '../../job/webhook.store.js';
import { Needs } from '../access/access.guard.js';
import { principalOf } from '../access/access.js';
import type { ClientLimits } from '../../core/queueing/client-limits.js';
import { clientOf } from '../access/client-identity.js';
import { Database } from '../database.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { AdmittedQuery, admit } from '../request/admit.js';
import { listPage } from '../request/list-cursor.js';
import { ServerControl } from '../server-control.js';
import { Takes } from '../request/body.interceptor.js';
import { Creates } from '../request/idempotency.interceptor.js';
import { webhookUrl } from './webhook-url.js';
import {
  DeliveriesDto,
  DeliveriesQuery,
  DeliveryDto,
  MadeWebhookDto,
  NewWebhookDto,
  ReplayQuery,
  ReplayedDto,
  WebhookDto,
  WebhooksDto,
  WebhooksQuery,
  deliveryView,
  isId,
  webhookView,
} from './webhook.dto.js';
import {
  deliveryUnknown,
  tooManyDeliveries,
  tooManyWebhooks,
  webhookOfAnother,
  webhookOff,
  webhookUnknown,
  webhookUrlRefused,
} from './webhook.problems.js';

/** Bounded because each event is matched with each webhook. Some are reserved for admins. */
const limits = { max: 100, maxPerKey: 25, reserved: 10 } satisfies ClientLimits;
const badLimit = refusalOf(WebhooksQuery, { limit: '5000' });

const WebhookIdParam = () => ApiParam({ name: 'id', description: 'Id of a webhook.', example: '1', type: String });

@ApiTags('webhook')
@Controller('v1/webhooks')
export class WebhookController {
  private readonly store: WebhookStore;

  constructor(
    private readonly confs: ConfStore,
    private readonly server: ServerControl,
    database: Database,
  ) {
    this.store = new WebhookStore(database.dataSource);
  }

  @Post()
  @Needs('run')
  @HttpCode(200)
  @Creates()
  @ApiBody({ type: NewWebhookDto })
  @Operation(
    'Create a webhook',
    'From now on each event of the given kinds is POSTed to `url` as JSON {id, type, time, jobId, crawlId, data, job}, signed in the header `Orbweaver-Signature` (docs/events.md shows how to check it). ' +
      'A delivery that is not answered with 2xx within 10 s is retried: 12 attempts over about 27 hours. A response 410 turns the webhook off.',
  )
  @ApiOkResponse({ description: 'The webhook, with its secret.', type: MadeWebhookDto })
  @Problems(
    webhookUrlRefused('leads to an inner address (http.filter.ipaddress of configuration default)', 'http://10.0.0.1/'),
    refusalOf(NewWebhookDto, { url: 'https://site.test/', events: ['all'] }),
    tooManyWebhooks(limits.max),
  )
  async create(@Body() body: unknown, @Req() request: Request): Promise<MadeWebhookDto> {
    const { url, events, crawlId, secret } = admit(NewWebhookDto, body).value;
    const conf = (await this.confs.find(DEFAULT_CONF_ID))!.conf;
    const webhook = {
      url: webhookUrl(url, conf, this.server.port),
      events,
      crawlId: crawlId ?? null,
      secret: secret ?? `whsec_${randomBytes(24).toString('base64url')}`,
      owner: ownerOf(request),
    };
    const isKey = clientOf(request).kind === 'key';
    const max = isKey ? limits.max - limits.reserved : limits.max;
    const created = await this.store.create(webhook, { max, ...(isKey && { maxOfOwner: limits.maxPerKey }) });
    if (created !== undefined) return { ...webhookView(created, true), secret: created.secret };
    const ofKey = isKey ? await this.store.countOf(webhook.owner) : 0;
    throw ofKey >= limits.maxPerKey ? tooManyWebhooks(ofKey, ' of this key') : tooManyWebhooks(max);
  }

  @Get()
  @Needs('run')
  @Operation('List webhooks', 'The webhooks, oldest first, without their secrets; URLs of other keys are masked.')
  @ApiOkResponse({ description: 'The webhooks.', type: WebhooksDto })
  @Problems(badLimit)
  async list(
    @AdmittedQuery(WebhooksQuery) { limit, cursor = '0' }: WebhooksQuery,
    @Req() request: Request,
  ): Promise<WebhooksDto> {
    const webhooks = await this.store.list(cursor, limit + 1);
    const { items, cursor: next } = listPage(webhooks, limit, ({ id }) => id);
    return { webhooks: items.map((webhook) => webhookView(webhook, isOwn(webhook, request))), cursor: next };
  }

  @Get(':id')
  @Needs('run')
  @WebhookIdParam()
  @Operation('Read a webhook', 'The webhook, without its secret; the URL of another key is masked.')
  @ApiOkResponse({ description: 'The webhook.', type: WebhookDto })
  @Problems(webhookUnknown('9'))
  async read(@Param('id') id: string, @Req() request: Request): Promise<WebhookDto> {
    const webhook = await this.requireWebhook(id);
    return webhookView(webhook, isOwn(webhook, request));
  }

  @Delete(':id')
  @Needs('run')
  @Takes('none')
  @WebhookIdParam()
  @Operation(
    'Delete a webhook',
    'Nothing more is sent to it, and its deliveries are deleted. Allowed for the key that created it, and for admins.',
  )
  @ApiOkResponse({ description: 'Deleted. The body is empty.' })
  @Problems(webhookUnknown('9'), webhookOfAnother('9'))
  async remove(@Param('id') id: string, @Req() request: Request): Promise<void> {
    await this.foundOwn(id, request);
    if (!(await this.store.remove(id))) throw webhookUnknown(id);
  }

  @Post(':id/replay')
  @Needs('run')
  @HttpCode(200)
  @Takes('none')
  @Creates()
  @WebhookIdParam()
  @Operation(
    'Send events again',
    'Creates new deliveries, in order of the events, for all logged events after `after` that match the webhook, at most 10,000.',
  )
  @ApiOkResponse({ description: 'The number of deliveries, and where to continue.', type: ReplayedDto })
  @Problems(
    webhookUnknown('9'),
    webhookOfAnother('9'),
    webhookOff('1', 'the receiver answered 410'),
    refusalOf(ReplayQuery, { after: 'x' }),
    tooManyDeliveries(MAX_WAITING),
  )
  async replay(
    @Param('id') id: string,
    @AdmittedQuery(ReplayQuery) { after }: ReplayQuery,
    @Req() request: Request,
  ): Promise<ReplayedDto> {
    await this.foundActive(id, request);
    const replayed = await this.store.replay(id, after);
    if (replayed === undefined) throw tooManyDeliveries(MAX_WAITING);
    return replayed;
  }

  @Get(':id/deliveries')
  @Needs('run')
  @WebhookIdParam()
  @Operation(
    'List the deliveries of a webhook',
    'The delivery of each event with its result, newest first. Deliveries are kept as long as events (`job.event.days`).',
  )
  @ApiOkResponse({ description: 'The deliveries.', type: DeliveriesDto })
  @Problems(webhookUnknown('9'), badLimit)
  async deliveries(
    @Param('id') id: string,
    @AdmittedQuery(DeliveriesQuery) { limit, cursor, state }: DeliveriesQuery,
  ): Promise<DeliveriesDto> {
    await this.requireWebhook(id);
    const deliveries = await this.store.deliveries(id, { state, before: cursor, limit: limit + 1 });
    const { items, cursor: next } = listPage(deliveries, limit, (delivery) => delivery.id);
    return { deliveries: items.map(deliveryView), cursor: next };
  }

  @Post(':id/deliveries/:delivery/replay')
  @Needs('run')
  @HttpCode(200)
  @Takes('none')
  @WebhookIdParam()
  @ApiParam({ name: 'delivery', description: 'Id of a delivery.', example: '1', type: String })
  @Operation(
    'Send a delivery again',
    'Sends any delivery again, also a DEAD or DELIVERED one, with a new set of attempts. Its id stays the same, so that the receiver can recognize it.',
  )
  @ApiOkResponse({ description: 'The delivery, waiting.', type: DeliveryDto })
  @Problems(
    webhookUnknown('9'),
    webhookOfAnother('9'),
    deliveryUnknown('40', '1'),
    webhookOff('1', 'the receiver answered 410'),
  )
  async replayOne(
    @Param('id') id: string,
    @Param('delivery') delivery: string,
    @Req() request: Request,
  ): Promise<DeliveryDto> {
    await this.foundActive(id, request);
    const replayed = isId(delivery) ? await this.store.replayOne(id, delivery) : undefined;
    if (replayed === undefined) throw deliveryUnknown(delivery, id);
    return deliveryView(replayed);
  }

  private async requireWebhook(id: string): Promise<Webhook> {
    const webhook = isId(id) ? await this.store.find(id) : undefined;
    if (webhook === undefined) throw webhookUnknown(id);
    return webhook;
  }

  /** Throws WEBHOOK_OF_ANOTHER for one that another key created. */
  private async foundOwn(id: string, request: Request): Promise<Webhook> {
    const webhook = await this.requireWebhook(id);
    if (!isOwn(webhook, request)) throw webhookOfAnother(id);
    return webhook;
  }

  private async foundActive(id: string, request: Request): Promise<void> {
    const { state, msg } = await this.foundOwn(id, request);
    if (!isActive(state)) throw webhookOff(id, msg);
  }
}

/** The owner that a webhook of this request is stored with; null without a key. */
const ownerOf = (request: Request): string | null => principalOf(request)?.owner ?? null;

/** Whether the client may see the URL and change the webhook: the key that created it, and admins. */
const isOwn = ({ owner }: Webhook, request: Request): boolean =>
  principalOf(request)?.scope === 'admin' || (owner !== null && owner === ownerOf(request));
