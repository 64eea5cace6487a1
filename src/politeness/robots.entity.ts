import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('robots')
export class RobotsEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'reversed host' })
  host!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'scheme, host and port' })
  origin!: string;

  @Column({ type: 'timestamptz', comment: 'when it was asked for' })
  fetchedAt!: Date;

  @Column({ type: 'timestamptz', comment: 'until when it is believed' })
  expiresAt!: Date;

  @Column({ type: 'smallint', nullable: true, comment: 'status of the answer' })
  httpStatus!: number | null;

  @Column({
    type: 'text',
    nullable: true,
    comment: 'why it was unavailable at the last request; null: it was available',
  })
  error!: string | null;

  @Column({
    type: 'integer',
    comment: 'how often in a row it was unavailable: by a status, or by the network (once a day)',
  })
  failures!: number;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'since when the network keeps it from us; null: it does not',
  })
  failingSince!: Date | null;

  @Column({ type: 'double precision', nullable: true, comment: 'Crawl-delay for the crawler that fetched it, seconds' })
  crawlDelay!: number | null;

  @Column({ type: 'bytea', nullable: true, comment: 'the file, as far as it is read' })
  body!: Buffer | null;
}
