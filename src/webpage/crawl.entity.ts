import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A crawl: the number that stands for its name, and what is known of its pages as a whole. */
@Entity('crawl')
export class CrawlEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'integer',
    generatedIdentity: 'BY DEFAULT',
    comment: 'the number that stands for the crawl everywhere; 0 is the crawl without a name',
  })
  id!: number;

  @Column({ type: 'text', collation: 'C', comment: 'crawl id of the API' })
  name!: string;

  @Column({ type: 'text', nullable: true, comment: 'what FETCH and PARSE take when they name no batch' })
  newestBatch!: string | null;

  @Column({ type: 'integer', comment: 'from this rank on UPDATEDB keeps ranks exact' })
  exactFrom!: number;

  @Column({ type: 'integer', comment: 'from this rank on no rank lags behind its score' })
  settledFrom!: number;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment: 'last snapshot of what needs a look at every page (scores, times, retries)',
  })
  stats!: Record<string, unknown> | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'when it was taken' })
  statsTime!: Date | null;

  @Column({ type: 'timestamptz', comment: 'when the crawl was first written to' })
  createdAt!: Date;

  @Column({
    type: 'text',
    nullable: true,
    comment: 'rules of the last DEDUP (by others: all pages), or the job that walks all now',
  })
  dedupRules!: string | null;
}
