import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
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
import { MASK } from '../../conf/properties.js';
import { type EventKind, eventKinds } from '../../job/job-events.js';
import { type Delivery, type DeliveryState, type Webhook, deliveryStates } from '../../job/webhook.store.js';
import { crawlIdShape, mustBeCrawlId } from '../request/ids.js';
import { WholeNumber } from '../request/whole-number.js';

const idShape = /^\d{1,18}$/;

/** The webhook that is to be made. */
export class NewWebhookDto {
  @ApiProperty({
    description: 'Where deliveries are POSTed to: http or https, no inner address, no name and password.',
    example: 'https://hooks.example.org/orbweaver',
  })
  @IsString()
  url!: string;

  @ApiPropertyOptional({
    description: 'The kinds of events that are delivered. progress comes each second of each task.',
    enum: eventKinds,
    isArray: true,
    default: ['state'],
    example: ['state', 'warning'],
  })
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(eventKinds.length)
  @ArrayUnique()
  @IsIn(eventKinds, { each: true })
  events: EventKind[] = ['state'];

  @ApiPropertyOptional({
    description: 'Events of this crawl only (empty: the default crawl); of all when left out.',
    example: 'k1',
    nullable: true,
    type: String,
  })
  @IsOptional()
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId?: string | null;

  @ApiPropertyOptional({
    description:
      'What deliveries are signed with: 16 to 200 visible characters. Made, and shown in the answer, when left out.',
    type: String,
    nullable: true,
    example: 'whsec_9vY2q0b8tJ5s7KXn1uWcRzF4',
  })
  @IsOptional()
  @Matches(/^[\x21-\x7e]{16,200}$/, { message: 'secret must be 16 to 200 visible ASCII characters without blanks' })
  secret?: string | null;
}

/** A webhook, without its secret. */
export class WebhookDto {
  @ApiProperty({ description: 'Its id.', example: '1' })
  id!: string;

  @ApiProperty({
    description:
      'Where deliveries are POSTed to. It may hold secrets: whoever is neither an admin nor the key that made the webhook sees its host alone, `https://hooks.example.org/********`.',
    example: 'https://hooks.example.org/orbweaver',
  })
  url!: string;

  @ApiProperty({ description: 'The kinds of events.', enum: eventKinds, isArray: true, example: ['state', 'warning'] })
  events!: EventKind[];

  @ApiProperty({ description: 'The crawl; null for all.', example: 'k1', nullable: true, type: String })
  crawlId!: string | null;

  @ApiProperty({ description: 'OFF when its receiver answered 410.', enum: ['ACTIVE', 'OFF'], example: 'ACTIVE' })
  state!: string;

  @ApiProperty({ description: 'OK, or why it is off.', example: 'OK' })
  msg!: string;

  @ApiProperty({ description: 'When it was made, ISO 8601 UTC.', example: '2026-11-21T08:00:00.000Z' })
  createdAt!: string;
}

export class MadeWebhookDto extends WebhookDto {
  @ApiProperty({
    description: 'What deliveries are signed with. It is shown here, and never again.',
    example: 'whsec_9vY2q0b8tJ5s7KXn1uWcRzF4',
  })
  secret!: string;
}

export class WebhooksDto {
  @ApiProperty({ description: 'Webhooks, oldest first.', type: [WebhookDto] })
  webhooks!: WebhookDto[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    example: '7',
    nullable: true,
    type: String,
  })
  cursor!: string | null;
}

/** A delivery of an event to a webhook. */
export class DeliveryDto {
  @ApiProperty({ description: 'Header Orbweaver-Delivery.', example: '40' })
  id!: string;

  @ApiProperty({ description: 'The id of the event.', example: '17' })
  eventId!: string;

  @ApiProperty({
    description: 'DEAD: given up, until it is sent again on request.',
    enum: deliveryStates,
    enumName: 'DeliveryState',
    example: 'WAITING',
  })
  state!: DeliveryState;

  @ApiProperty({ description: 'Attempts so far, 12 at most.', example: 2 })
  attempts!: number;

  @ApiProperty({
    description: 'When it is tried next, ISO 8601 UTC; null when it is not.',
    example: '2026-11-21T08:01:30.000Z',
    nullable: true,
    type: String,
  })
  nextAt!: string | null;

  @ApiProperty({
    description: 'The status that the receiver answered last; null when it did not.',
    example: 503,
    nullable: true,
    type: Number,
  })
  status!: number | null;

  @ApiProperty({ description: 'What became of the last attempt.', example: 'answered 503' })
  msg!: string;

  @ApiProperty({ description: 'ISO 8601 UTC.', example: '2026-11-21T08:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({
    description: 'When it was delivered or given up, ISO 8601 UTC.',
    example: null,
    nullable: true,
    type: String,
  })
  endedAt!: string | null;
}

export class DeliveriesDto {
  @ApiProperty({ description: 'Deliveries, newest first.', type: [DeliveryDto] })
  deliveries!: DeliveryDto[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    example: '31',
    nullable: true,
    type: String,
  })
  cursor!: string | null;
}

export class ReplayedDto {
  @ApiProperty({ description: 'Deliveries that were made, 10,000 at most.', example: 12 })
  deliveries!: number;

  @ApiProperty({
    description: 'The last event among them: give it as `after` to go on.',
    example: '431',
    nullable: true,
    type: String,
  })
  last!: string | null;
}

export class WebhooksQuery {
  @WholeNumber({ description: 'Webhooks at most.', default: 100, minimum: 1, maximum: 1_000 })
  limit: number = 100;

  @ApiPropertyOptional({ description: '`cursor` of the answer before: goes on behind it.' })
  @IsOptional()
  @Matches(idShape, { message: 'cursor must be the cursor of an answer' })
  cursor?: string;
}

export class DeliveriesQuery extends WebhooksQuery {
  @ApiPropertyOptional({
    description: 'Deliveries in this state only.',
    enum: deliveryStates,
  })
  @IsOptional()
  @IsIn(deliveryStates)
  state?: DeliveryState;
}

export class ReplayQuery {
  @ApiPropertyOptional({ description: 'Events behind the one of this id.', default: '0' })
  @Matches(idShape, { message: 'after must be the id of an event' })
  after: string = '0';
}

export const isId = (text: string): boolean => idShape.test(text);

/**
 * The webhook as it is answered.
 * @param isOwn whether who asks may see its URL
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
