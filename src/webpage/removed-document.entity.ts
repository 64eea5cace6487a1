import { Entity, PrimaryColumn } from 'typeorm';

/** A document whose page was deleted from the table. */
@Entity('removed_document')
export class RemovedDocumentEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'host of the page' })
  host!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'row key of the page, which is the id of the document' })
  key!: string;
}
