import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A line of the log of jobs. */
@Entity('job_event')
export class JobEventEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', comment: 'order' })
  id!: string;

  @Column({ type: 'text', collation: 'C', comment: 'its job' })
  job!: string;

  @Column({ type: 'integer', nullable: true, comment: 'crawl of the job' })
  crawl!: number | null;

  @Column({ type: 'timestamptz', comment: 'when it was written' })
  time!: Date;

  @Column({ type: 'text', comment: '`state`, `task`, `progress`, `warning`' })
  kind!: string;

  @Column({ type: 'jsonb', comment: 'what happened' })
  data!: Record<string, unknown>;
}
