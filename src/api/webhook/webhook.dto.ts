/** Webhooks and deliveries in requests and answers. The secret of a webhook is returned once, when it is created. */
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Matches,
} from 'class-validator';
import { ID_SHAPE_OR_EMPTY } from '../../core/id-shape.js';
import { MASK } from '../../core/conf/properties.js';
import { type EventKind, eventKinds } from '../../job/job-event.store.js';
import { type DeliveryState, type WebhookState, deliveryStates, webhookStates } from '../../core/job/webhook-states.js';
import type { Delivery, Webhook } from '../../job/webhook.store.js';
import { Field, FieldOf, FieldOrNull, FieldWithDefault, OptionalField } from '../openapi/fields.js';
import { mustBeCrawlId } from '../request/ids.js';
import { IdCursorField, NextCursor } from '../request/list-cursor.js';
import { OneWord } from '../request/one-word.js';
import { WholeNumber } from '../request/whole-number.js';

const ID_SHAPE = /^\d{1,18}$/;

export class NewWebhookDto {
  @Field(
    'Where deliveries are POSTed to: http or https, no internal address, no user name and password.',
    'https://hooks.example.org/orbweaver',
  )
  @IsString()
  url!: string;

  @OptionalField(
    'The kinds of events to deliver. progress is sent at most once a second for each running task.',
    ['state', 'warning'],
    {
      enum: eventKinds,
      isArray: true,
      default: ['state'],
    },
  )
  @ArrayNotEmpty()
  @ArrayMaxSize(eventKinds.length)
  @ArrayUnique()
  @IsIn(eventKinds, { each: true })
  @IsArray()
  events: EventKind[] = ['state'];

  @OptionalField(
    'Only events of this crawl (empty: the crawl without a name); without it, events of all crawls.',
    'k1',
    {
      nullable: true,
      type: String,
    },
  )
  @IsOptional()
  @Matches(ID_SHAPE_OR_EMPTY, mustBeCrawlId)
  crawlId?: string | null;

  @OptionalField(
    'The secret with which deliveries are signed: 16 to 200 visible characters. Generated, and returned in the response, when omitted.',
    'whsec_9vY2q0b8tJ5s7KXn1uWcRzF4',
    { type: String, nullable: true },
  )
  @IsOptional()
  @Matches(/^[\x21-\x7e]{16,200}$/, { message: 'secret must be 16 to 200 visible ASCII characters without blanks' })
  secret?: string | null;
}

export class WebhookDto {
  @Field('Its id.', '1')
  id!: string;

  @Field(
    'Where deliveries are POSTed to. It may contain secrets: only admins and the key that created the webhook see more than its host, `https://hooks.example.org/********`.',
    'https://hooks.example.org/orbweaver',
  )
  url!: string;

  @Field('The kinds of events.', ['state', 'warning'], { enum: eventKinds, isArray: true })
  events!: EventKind[];

  @FieldOrNull(String, 'The crawl; null for all.', 'k1')
  crawlId!: string | null;

  @Field('OFF when its receiver answered 410.', 'ACTIVE', { enum: webhookStates })
  state!: WebhookState;

  @Field('OK, or why it is off, or how its last attempts failed.', 'OK')
  msg!: string;

  @Field('When it was created, ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  createdAt!: string;
}

export class MadeWebhookDto extends WebhookDto {
  @Field('The secret with which deliveries are signed. It is returned only here.', 'whsec_9vY2q0b8tJ5s7KXn1uWcRzF4')
  secret!: string;
}

export class WebhooksDto {
  @FieldOf([WebhookDto], 'Webhooks, oldest first.')
  webhooks!: WebhookDto[];

  @NextCursor('7')
  cursor!: string | null;
}

export class DeliveryDto {
  @Field('Header Orbweaver-Delivery.', '40')
  id!: string;

  @Field('The id of the event.', '17')
  eventId!: string;

  @Field('DEAD: all attempts failed; it is only sent again on request.', 'WAITING', {
    enum: deliveryStates,
    enumName: 'DeliveryState',
  })
  state!: DeliveryState;

  @Field('Attempts so far, at most 12.', 2)
  attempts!: number;

  @FieldOrNull(
    String,
    'When the next attempt is made, ISO 8601 UTC; null when there is none.',
    '2026-11-21T08:01:30.000Z',
  )
  nextAt!: string | null;

  @FieldOrNull(Number, 'The last status of the receiver; null without a response.', 503)
  status!: number | null;

  @Field('The result of the last attempt.', 'answered 503')
  msg!: string;

  @Field('When it was created, ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  createdAt!: string;

  @FieldOrNull(String, 'When it was delivered or became DEAD, ISO 8601 UTC.', null)
  endedAt!: string | null;
}

export class DeliveriesDto {
  @FieldOf([DeliveryDto], 'Deliveries, newest first.')
  deliveries!: DeliveryDto[];

  @NextCursor('31')
  cursor!: string | null;
}

export class ReplayedDto {
  @Field('Number of deliveries that were created, at most 10,000.', 12)
  deliveries!: number;

  @FieldOrNull(String, 'The last event among them: pass it as `after` to continue.', '431')
  last!: string | null;
}

export class WebhooksQuery {
  @WholeNumber({ description: 'Maximum number of webhooks.', default: 100, minimum: 1, maximum: 1_000 })
  limit: number = 100;

  @IdCursorField(ID_SHAPE)
  cursor?: string;
}

export class DeliveriesQuery extends WebhooksQuery {
  @OneWord(deliveryStates, 'Only deliveries in this state.')
  state?: DeliveryState;
}

export class ReplayQuery {
  @FieldWithDefault('0', 'Only events after the one with this id.')
  @Matches(ID_SHAPE, { message: 'after must be the id of an event' })
  after: string = '0';
}

export const isId = (text: string): boolean => ID_SHAPE.test(text);

/**
 * The webhook for an answer.
 * @param isOwn whether the client may see its URL
 */
export const webhookView = (
  { createdAt, id, url, events, crawlId, state, msg }: Webhook,
  isOwn: boolean,
): WebhookDto => ({
  id,
  url: isOwn ? url : `${new URL(url).origin}/${MASK}`,
  events,
  crawlId,
  state,
  msg,
  createdAt: createdAt.toISOString(),
});

export const deliveryView = (delivery: Delivery): DeliveryDto => ({
  id: delivery.id,
  eventId: delivery.event,
  state: delivery.state,
  attempts: delivery.attempts,
  nextAt: delivery.nextAt?.toISOString() ?? null,
  status: delivery.status,
  msg: delivery.msg,
  createdAt: delivery.createdAt.toISOString(),
  endedAt: delivery.endedAt?.toISOString() ?? null,
});
