import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The wide columns of a page: content, text, links. Content and text are compressed with zstd. */
@Entity('page_content')
export class PageContentEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'as in `webpage`' })
  host!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'as in `webpage`' })
  key!: string;

  @Column({ type: 'integer', nullable: true, comment: 'bytes kept, before compression' })
  contentLength!: number | null;

  @Column({ type: 'integer', nullable: true, comment: 'characters of text, before compression' })
  textLength!: number | null;

  @Column({ type: 'text', nullable: true, comment: 'encoding of the content' })
  charset!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'why the content is not complete; null if it is' })
  truncated!: string | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'headers of the answer' })
  headers!: Record<string, string> | null;

  @Column({
    type: 'text',
    array: true,
    collation: 'C',
    nullable: true,
    comment: 'row keys of the outlinks, in page order',
  })
  outlinkKeys!: string[] | null;

  @Column({ type: 'text', array: true, nullable: true, comment: 'their anchor texts, by position' })
  outlinkAnchors!: string[] | null;

  @Column({ type: 'bytea', nullable: true, comment: 'text of the page, zstd' })
  text!: Buffer | null;

  @Column({ type: 'bytea', nullable: true, comment: 'the bytes of the answer, zstd' })
  content!: Buffer | null;

  @Column({
    type: 'text',
    array: true,
    collation: 'C',
    nullable: true,
    comment:
      'the links from which its inlinks were made, if others were found since; null once UPDATEDB or INVERTLINKS has removed outdated inlinks',
  })
  formerOutlinkKeys!: string[] | null;
}
