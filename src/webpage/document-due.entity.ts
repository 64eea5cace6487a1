import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A page that the next INDEX of its crawl takes: a CRAWL with `index` has changed it, or links to it. */
@Entity('document_due')
export class DocumentDueEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'host of the page' })
  host!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'row key of the page' })
  key!: string;

  @Column({
    type: 'timestamptz',
    comment: 'when it was last recorded: INDEX deletes it only with the time that it has read',
  })
  notedAt!: Date;
}
