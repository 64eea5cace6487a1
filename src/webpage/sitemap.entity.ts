import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('sitemap')
export class SitemapEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'reversed host of the URL' })
  host!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'where it is' })
  url!: string;

  @Column({
    type: 'text',
    collation: 'C',
    comment:
      'how it was found: `seed`, `argument`, `robots`, `default` (/sitemap.xml), `index`; `host`: an origin whose robots.txt is to be read',
  })
  source!: string;

  @Column({ type: 'text', collation: 'C', nullable: true, comment: 'the robots.txt or index that names it' })
  foundIn!: string | null;

  @Column({
    type: 'text',
    nullable: true,
    comment: 'origin whose robots.txt names it, or the index that leads to it: its own if that does, else the last one',
  })
  vouchedBy!: string | null;

  @Column({ type: 'smallint', comment: 'number of indexes between it and its source' })
  depth!: number;

  @Column({ type: 'text', collation: 'C', nullable: true, comment: 'the job that still has to read it' })
  wantedBy!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'the job that read it last' })
  doneBy!: string | null;

  @Column({ type: 'integer', comment: 'entries written by an attempt that did not finish' })
  position!: number;

  @Column({ type: 'timestamptz', nullable: true, comment: 'when it was read last' })
  fetchedAt!: Date | null;

  @Column({
    type: 'text',
    nullable: true,
    comment: '`fetched`, `not_modified`, `gone`, `robots_denied`, `not_a_sitemap`, `failed`',
  })
  status!: string | null;

  @Column({ type: 'smallint', nullable: true, comment: 'of that answer' })
  httpStatus!: number | null;

  @Column({ type: 'integer', nullable: true, comment: 'entries, or sitemaps of an index' })
  entries!: number | null;

  @Column({ type: 'text', nullable: true, comment: 'why it could not be read, or what in it could not be used' })
  error!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'validator, as its server gave it' })
  etag!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'the other validator, as its server gave it' })
  lastModified!: string | null;
}
