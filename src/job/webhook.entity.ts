import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { WebhookState } from '../core/job/webhook-states.js';
import type { EventKind } from './job-event.store.js';

/** A webhook, its secret included. */
@Entity('webhook')
export class WebhookEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', comment: 'webhook' })
  id!: string;

  @Column({ type: 'text', comment: 'where its deliveries go' })
  url!: string;

  @Column({ type: 'text', array: true, comment: 'kinds of events' })
  events!: EventKind[];

  @Column({ type: 'text', nullable: true, comment: 'of this crawl only; null for all' })
  crawlId!: string | null;

  @Column({ type: 'text', comment: 'what deliveries are signed with' })
  secret!: string;

  @Column({ type: 'text', comment: 'ACTIVE, OFF' })
  state!: WebhookState;

  @Column({ type: 'text', comment: '`OK`, or why it is off, or how its last attempts failed' })
  msg!: string;

  @Column({ type: 'integer', comment: 'attempts in a row that failed' })
  failures!: number;

  @Column({ type: 'timestamptz', nullable: true, comment: 'until when a sender has leased it, or it pauses' })
  busyUntil!: Date | null;

  @Column({ type: 'integer', comment: 'rises with each sender: a write of an older one changes nothing' })
  turn!: number;

  @Column({ type: 'text', nullable: true, comment: 'as in `job`' })
  idempotencyKey!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'as in `job`' })
  requestHash!: string | null;

  @Column({ type: 'timestamptz', comment: 'when it was created' })
  createdAt!: Date;

  @Column({ type: 'text', nullable: true, comment: 'the key that created it; null: created without one' })
  owner!: string | null;
}
