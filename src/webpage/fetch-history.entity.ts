import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A visit to a page; in a partition per month. */
@Entity('fetch_history')
export class FetchHistoryEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'as in `webpage`' })
  host!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'as in `webpage`' })
  key!: string;

  @PrimaryColumn({ type: 'timestamptz', comment: 'when the visit was written' })
  time!: Date;

  @Column({ type: 'smallint', comment: 'page status after it' })
  status!: number;

  @Column({ type: 'smallint', comment: 'protocol status code' })
  protocolCode!: number;

  @Column({ type: 'smallint', nullable: true, comment: 'HTTP status; null without an answer' })
  httpStatus!: number | null;

  @Column({ type: 'integer', nullable: true, comment: 'milliseconds from request to last byte' })
  ms!: number | null;

  @Column({ type: 'integer', nullable: true, comment: 'bytes on the wire' })
  bytes!: number | null;

  @Column({ type: 'text', nullable: true, comment: 'signature, if it was parsed at the same time' })
  signature!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'id of the FETCH job' })
  job!: string | null;
}
