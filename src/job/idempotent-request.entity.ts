import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request with an `Idempotency-Key`, and its answer. */
@Entity('request')
export class RequestEntity {
  @PrimaryColumn({ type: 'text', comment: 'hash of the caller, the address and the key' })
  key!: string;

  @Column({ type: 'text', comment: 'hash of the request' })
  hash!: string;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'until when no other process runs it; null when it was answered',
  })
  runningUntil!: Date | null;

  @Column({ type: 'integer', comment: 'rises when it is run again because the process that ran it died' })
  turn!: number;

  @Column({ type: 'integer', nullable: true, comment: 'status of the answer' })
  status!: number | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'headers of the answer' })
  headers!: Record<string, string> | null;

  @Column({ type: 'text', nullable: true, comment: 'body of the answer' })
  body!: string | null;

  @Column({ type: 'timestamptz', comment: 'when it was received' })
  createdAt!: Date;
}
