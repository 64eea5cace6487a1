import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Postings of a few consecutive terms of a segment; a frequent term has a row of its own. */
@Entity('search_posting')
export class SearchPostingEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'integer', comment: 'the segment' })
  seg!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'the first of the terms' })
  term!: string;

  @Column({ type: 'bytea', comment: 'the terms, and in which documents and fields they occur, and how often' })
  post!: Buffer;

  @Column({ type: 'bytea', comment: 'at which positions, read for phrases and proximity' })
  pos!: Buffer;
}
