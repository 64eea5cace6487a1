import { Column, Entity, PrimaryColumn } from 'typeorm';
import { jobTypes } from '../core/job/job-types.js';
import { jobStates } from '../core/job/job-states.js';

/** A job. Read only: its state is written by one function (job.store.ts). */
@Entity('job')
export class JobEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', comment: '`<crawl>-<configuration>-<TYPE>-<number>`' })
  id!: string;

  @Column({ type: 'bigint', comment: 'order of creation' })
  number!: string;

  @Column({ type: 'integer', comment: 'number of the crawl' })
  crawl!: number;

  @Column({ type: 'text', comment: 'its name' })
  crawlId!: string;

  @Column({ type: 'text', comment: 'name of the configuration' })
  confId!: string;

  @Column({ type: 'text', comment: 'the configuration as it was when the job was created' })
  confHash!: string;

  @Column({ type: 'text', comment: jobTypes.join(', ') })
  type!: string;

  @Column({ type: 'jsonb', comment: 'arguments as given' })
  args!: Record<string, unknown>;

  @Column({ type: 'text', comment: jobStates.join(', ') })
  state!: string;

  @Column({ type: 'text', comment: 'one line for users: what it waits for, why it failed' })
  msg!: string;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment: 'what all partitions share: number of partitions, batch, pages selected',
  })
  plan!: Record<string, unknown> | null;

  @Column({ type: 'jsonb', nullable: true, comment: '`result`, `reason`, `counters`, and what the step adds' })
  result!: Record<string, unknown> | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'of a CRAWL: the sum of the counters of its counted jobs' })
  childCounters!: Record<string, unknown> | null;

  @Column({
    type: 'boolean',
    comment: 'of a job of a CRAWL: it has ended, and its counters are in the sum of the CRAWL',
  })
  counted!: boolean;

  @Column({ type: 'text', nullable: true, comment: 'crawl and step that no other running job may lock' })
  lockKey!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'CRAWL that made it; null for a job that a user created' })
  parent!: string | null;

  @Column({ type: 'integer', nullable: true, comment: 'round of the parent' })
  round!: number | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'since when it is paused' })
  pausedAt!: Date | null;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'of a FETCH of a continuous crawl: since when it receives no further batch',
  })
  closedAt!: Date | null;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment: 'of a continuous CRAWL: its older steps, joined, so that they are not read for each next step',
  })
  earlierSteps!: Record<string, unknown> | null;

  @Column({
    type: 'text',
    nullable: true,
    comment: 'hash of the caller, the address and the `Idempotency-Key` that made it',
  })
  idempotencyKey!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'hash of the request that made it' })
  requestHash!: string | null;

  @Column({ type: 'timestamptz', comment: 'when it was created' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', nullable: true, comment: 'when its first task was claimed' })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'set exactly when the state is FINISHED, FAILED or KILLED' })
  endedAt!: Date | null;
}
