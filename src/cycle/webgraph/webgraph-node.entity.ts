import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What the links of a crawl say about a page. Beside the rows of `webpage`, which a run over the whole crawl would all write anew. */
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

  @Column({ type: 'double precision', nullable: true, comment: 'PAGERANK: its score; 1 all pages together' })
  pageRank!: number | null;

  @Column({ type: 'double precision', nullable: true, comment: 'HITS: how good a hub; 1 all pages together' })
  hub!: number | null;

  @Column({ type: 'double precision', nullable: true, comment: 'HITS: how good an authority; 1 all pages together' })
  authority!: number | null;
}
