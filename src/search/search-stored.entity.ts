import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What is shown of 64 documents of a segment. */
@Entity('search_stored')
export class SearchStoredEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'integer', comment: 'the segment' })
  seg!: number;

  @PrimaryColumn({ type: 'integer', comment: 'which 64 of its documents, from 0' })
  block!: number;

  @Column({ type: 'bytea', comment: 'id, URL, title and fetch time of each, JSON, zstd' })
  fields!: Buffer;
}
