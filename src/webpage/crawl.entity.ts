import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A crawl: its name, the number by which all tables refer to it, and statistics of its pages. */
@Entity('crawl')
export class CrawlEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'integer',
    generatedIdentity: 'BY DEFAULT',
    comment: 'the number of the crawl in all tables; 0 is the crawl without a name',
  })
  id!: number;

  @Column({ type: 'text', collation: 'C', comment: 'crawl id of the API' })
  name!: string;

  @Column({ type: 'text', nullable: true, comment: 'the batch of FETCH and PARSE if they name none' })
  newestBatch!: string | null;

  @Column({ type: 'integer', comment: 'from this rank on UPDATEDB keeps ranks exact' })
  exactFrom!: number;

  @Column({ type: 'integer', comment: 'from this rank on no rank lags behind its score' })
  settledFrom!: number;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment: 'last snapshot of values that need a scan of all pages (scores, times, retries)',
  })
  stats!: Record<string, unknown> | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'when it was taken' })
  statsTime!: Date | null;

  @Column({ type: 'timestamptz', comment: 'when the crawl was first written to' })
  createdAt!: Date;

  @Column({
    type: 'text',
    nullable: true,
    comment: 'rules of the last DEDUP (by others: all pages), or the job that is reading all now',
  })
  dedupRules!: string | null;
}
