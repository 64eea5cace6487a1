import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Where a document is in the index. */
@Entity('search_doc')
export class SearchDocEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'uuid', comment: 'first half of the SHA-256 of its id, which is the row key of its page' })
  id!: string;

  @Column({ type: 'integer', comment: 'the segment' })
  seg!: number;

  @Column({ type: 'integer', comment: 'its number there, from 0' })
  doc!: number;
}
