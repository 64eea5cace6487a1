import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** Contributions of links to pages of other hosts that are not added yet. */
@Entity('pending_contribution')
export class PendingContributionEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    comment: 'order in which they were written',
  })
  id!: string;

  @Column({ type: 'integer', comment: 'partition that adds it: all targets of a host are in one' })
  part!: number;

  @Column({ type: 'integer', comment: 'how many' })
  targets!: number;

  @Column({ type: 'text', array: true, collation: 'C', comment: 'row keys of the targets' })
  keys!: string[];

  @Column({ type: 'double precision', array: true, comment: 'contributions, by position' })
  shares!: number[];

  @Column({ type: 'integer', array: true, comment: 'fewest links from a seed to a page that links there' })
  distances!: number[];

  @Column({ type: 'text', array: true, comment: '`link` or `redirect`: how a page that is new was found' })
  kinds!: string[];
}
