import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Values of a page computed from the links of a crawl. A table of its own, as a run would else rewrite all rows of `webpage`. */
@Entity('webgraph_node')
export class WebgraphNodeEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'as in `webpage`' })
  host!: string;

  @PrimaryColumn({
    type: 'bigint',
    insert: false,
    update: false,
    comment: 'as in `webpage`',
  })
  keyHash!: string;

  @Column({ type: 'text', collation: 'C', comment: 'row key of the page' })
  key!: string;

  @Column({
    type: 'integer',
    nullable: true,
    comment: 'pages that link to it, by `link.ignore.*`; null: no such link to or from it (WEBGRAPH, LINKRANK)',
  })
  numInlinks!: number | null;

  @Column({ type: 'integer', nullable: true, comment: 'pages that it links to, likewise' })
  numOutlinks!: number | null;

  @Column({ type: 'double precision', nullable: true, comment: 'LINKRANK: its score; null: without any link' })
  linkRank!: number | null;

  @Column({ type: 'double precision', nullable: true, comment: 'PAGERANK: its score; all pages sum to 1' })
  pageRank!: number | null;

  @Column({ type: 'double precision', nullable: true, comment: 'HITS: hub value; all pages sum to 1' })
  hub!: number | null;

  @Column({ type: 'double precision', nullable: true, comment: 'HITS: authority value; all pages sum to 1' })
  authority!: number | null;
}
