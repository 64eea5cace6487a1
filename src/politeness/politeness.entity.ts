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

  @Column({ type: 'timestamptz', nullable: true, comment: 'its servers asked to be left alone until then' })
  blockedUntil!: Date | null;

  @Column({
    type: 'integer',
    comment: 'rest that its holder keeps after each request; of a queue that was given back, the rest that it had then',
  })
  delayMs!: number;

  @Column({ type: 'text', collation: 'C', nullable: true, comment: 'task that waits for it, and gets it next' })
  wantedBy!: string | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'until when that counts, if it does not ask again' })
  wantedUntil!: Date | null;
}
