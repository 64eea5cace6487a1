import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A fetch queue: who holds it, and when its next request may start. */
@Entity('politeness')
export class PolitenessEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'fetch queue: host, domain or address' })
  queueId!: string;

  @Column({ type: 'text', comment: 'task that holds it' })
  owner!: string;

  @Column({ type: 'timestamptz', comment: 'until when an attempt holds it without renewing it' })
  leaseUntil!: Date;

  @Column({ type: 'timestamptz', comment: 'when the next request may start' })
  nextAt!: Date;

  @Column({ type: 'timestamptz', nullable: true, comment: 'no request before: back-off or Retry-After' })
  blockedUntil!: Date | null;

  @Column({
    type: 'integer',
    comment: 'delay that its holder keeps after each request; of a released queue, the delay that remained',
  })
  delayMs!: number;

  @Column({ type: 'text', collation: 'C', nullable: true, comment: 'task that waits for it, and gets it next' })
  wantedBy!: string | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'until when that counts, if it does not ask again' })
  wantedUntil!: Date | null;
}
