import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Pages of a crawl by status: sums, and the changes of transactions since. */
@Entity('status_count')
export class StatusCountEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', comment: 'number of the row' })
  id!: string;

  @Column({ type: 'integer', comment: 'number of the crawl' })
  crawl!: number;

  @Column({ type: 'boolean', comment: 'these are the sums over hosts; else changes' })
  base!: boolean;

  @Column({ type: 'timestamptz', comment: 'when it was written' })
  countedAt!: Date;

  @Column({ type: 'bigint', array: true, comment: 'pages of status 1, 2, 3, 4, 5, 6, 7, 8, 9 and 34' })
  counts!: string[];
}
