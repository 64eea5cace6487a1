import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A content that the next DEDUP processes. */
@Entity('signature_due')
export class SignatureDueEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'host of the page that has, or had, the content' })
  host!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'the content' })
  signature!: string;

  @Column({
    type: 'timestamptz',
    comment: 'when it was last recorded: DEDUP deletes it only with the time that it has read',
  })
  notedAt!: Date;
}
