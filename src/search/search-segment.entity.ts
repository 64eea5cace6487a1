import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A segment of the index: what is known of its documents as a whole. */
@Entity('search_segment')
export class SearchSegmentEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'integer', comment: 'number of the segment, used once' })
  seg!: number;

  @Column({ type: 'integer', comment: 'documents, those that were replaced or deleted since among them' })
  documents!: number;

  @Column({ type: 'integer', comment: 'documents that are found' })
  liveDocuments!: number;

  @Column({ type: 'integer', comment: 'raised with each change of `live`' })
  generation!: number;

  @Column({ type: 'bigint', array: true, comment: 'words in title, anchor, url, host, headings and content' })
  sums!: string[];

  @Column({ type: 'bytea', comment: 'a bit for each document that is found' })
  live!: Buffer;

  @Column({
    type: 'bytea',
    comment: 'lengths of fields, boosts, languages, types, hosts, days and SimHashes by document, zstd',
  })
  columns!: Buffer;
}
