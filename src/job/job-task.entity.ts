import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A task, or part, of a job. For reading: leases and fencing tokens guard what is written. */
@Entity('job_task')
export class JobTaskEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', comment: 'task' })
  id!: string;

  @Column({ type: 'text', collation: 'C', comment: 'its job' })
  job!: string;

  @Column({ type: 'integer', comment: 'which part of the job, from 0' })
  part!: number;

  @Column({ type: 'text', comment: 'WAITING, RUNNING, DONE' })
  state!: string;

  @Column({ type: 'integer', comment: 'fencing token: every write of an older attempt changes nothing' })
  token!: number;

  @Column({ type: 'integer', comment: 'writes of this attempt' })
  writes!: number;

  @Column({
    type: 'integer',
    comment: 'attempts in a row that ended without a write, by no page that is known; three fail the job',
  })
  lost!: number;

  @Column({
    type: 'integer',
    comment: 'the same of attempts that ended together with their server; thirty fail the job',
  })
  killed!: number;

  @Column({ type: 'text', nullable: true, comment: 'worker that holds it' })
  owner!: string | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'until when it is held without a beat' })
  leaseUntil!: Date | null;

  @Column({ type: 'timestamptz', comment: 'when it was last queued' })
  queuedAt!: Date;

  @Column({ type: 'timestamptz', comment: 'since when it waits: the order of claims within a crawl' })
  waitingSince!: Date;

  @Column({
    type: 'boolean',
    comment: 'the attempt at work only waits for a lock, or for pages: it has given up its slot',
  })
  idle!: boolean;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'of a FETCH that goes on: when it said last that it has little left to fetch',
  })
  lowSince!: Date | null;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'of a FETCH that goes on: since when it has nothing to fetch',
  })
  drySince!: Date | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'when its worker took it' })
  claimedAt!: Date | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'what a later attempt goes on from' })
  progress!: Record<string, unknown> | null;

  @Column({ type: 'jsonb', comment: 'what it has done so far, written with its effects' })
  counters!: Record<string, unknown>;

  @Column({
    type: 'jsonb',
    comment: 'workers that died while they read a page, by its key; a page with three is given up',
  })
  deaths!: Record<string, number>;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment: 'what the attempt at work waits for: a parser with its page in hand, another job, or the queue of a host',
  })
  waits!: Record<string, unknown> | null;

  @Column({
    type: 'integer',
    nullable: true,
    comment: 'the last attempt whose lease ran out while nobody knew that its worker had died',
  })
  silentToken!: number | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'how it ended; set exactly when the state is DONE' })
  outcome!: Record<string, unknown> | null;
}
