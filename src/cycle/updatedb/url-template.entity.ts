import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Counts of the URLs of one shape of a host. */
@Entity('url_template')
export class UrlTemplateEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'as in `webpage`' })
  host!: string;

  @PrimaryColumn({
    type: 'text',
    collation: 'C',
    comment: 'path and parameters with all that is counted folded: `/item/{n}`; empty: the host',
  })
  template!: string;

  @Column({ type: 'bigint', comment: 'URLs that UPDATEDB added' })
  added!: string;

  @Column({ type: 'bigint', comment: 'URLs that it refused, counted each time' })
  refused!: string;

  @Column({ type: 'bigint', comment: 'pages whose content was read for the first time' })
  seen!: string;

  @Column({ type: 'bigint', comment: 'of these, near duplicates of a sample' })
  similarPages!: string;

  @Column({ type: 'text', array: true, comment: 'signatures with which others are compared, at most 16' })
  samples!: string[];

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'since when no further URLs are added, as its pages are near duplicates; null: they are',
  })
  stoppedAt!: Date | null;
}
