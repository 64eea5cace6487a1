import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link, by the page that it leads to. */
@Entity('inlink')
export class InlinkEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'host of the page that is linked to' })
  host!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'row key of the page that is linked to' })
  key!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'row key of the page that links' })
  source!: string;

  @Column({ type: 'text', nullable: true, comment: 'text of the link' })
  anchor!: string | null;

  @Column({ type: 'double precision', comment: 'contribution of the link when it was last added' })
  score!: number;
}
