import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { DeliveryState } from '../core/job/webhook-states.js';

/** An event on its way to a webhook. */
@Entity('webhook_delivery')
export class WebhookDeliveryEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', comment: 'order' })
  id!: string;

  @Column({ type: 'bigint', comment: 'its webhook' })
  webhook!: string;

  @Column({ type: 'bigint', comment: 'its event' })
  event!: string;

  @Column({ type: 'text', comment: 'WAITING, DELIVERED, DEAD' })
  state!: DeliveryState;

  @Column({ type: 'integer', comment: 'attempts so far, including the running one' })
  attempts!: number;

  @Column({ type: 'timestamptz', comment: 'when it may be attempted' })
  nextAt!: Date;

  @Column({ type: 'integer', nullable: true, comment: 'status of the last answer of the receiver' })
  status!: number | null;

  @Column({ type: 'text', comment: 'result of the last attempt' })
  msg!: string;

  @Column({ type: 'timestamptz', comment: 'when it was made' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', nullable: true, comment: 'set exactly when the state is DELIVERED or DEAD' })
  endedAt!: Date | null;
}
