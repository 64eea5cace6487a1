import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A batch of pages, made by GENERATE. */
@Entity('batch')
export class BatchEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: '`generate_mark` of its pages' })
  id!: string;

  @Column({ type: 'text', collation: 'C', comment: 'its name as a segment of 1.x: when it was made, 14 digits, UTC' })
  segment!: string;

  @Column({ type: 'integer', comment: 'its number among the batches of one GENERATE, from 1' })
  segnum!: number;

  @Column({ type: 'timestamptz', comment: 'when it was first made: `_ngt_` in the metadata of pages that are in it' })
  generatedAt!: Date;

  @Column({ type: 'integer', comment: 'pages selected' })
  pages!: number;

  @Column({ type: 'integer', comment: 'how many partitions they are divided among' })
  partitions!: number;
}
