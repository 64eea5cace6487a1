import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A task of a job: it works on one partition. Read only: writes go through leases and fencing tokens. */
@Entity('job_task')
export class JobTaskEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', comment: 'task' })
  id!: string;

  @Column({ type: 'text', collation: 'C', comment: 'its job' })
  job!: string;

  @Column({ type: 'integer', comment: 'which partition of the job, from 0' })
  part!: number;

  @Column({ type: 'text', comment: 'WAITING, RUNNING, DONE' })
  state!: string;

  @Column({ type: 'integer', comment: 'fencing token: every write of an older attempt changes nothing' })
  token!: number;

  @Column({ type: 'integer', comment: 'writes of this attempt' })
  writes!: number;

  @Column({
    type: 'integer',
    comment: 'attempts in a row that died without a write, not counted for a page; three fail the job',
  })
  lost!: number;

  @Column({
    type: 'integer',
    comment: 'the same for attempts that died together with their server; thirty fail the job',
  })
  killed!: number;

  @Column({ type: 'text', nullable: true, comment: 'worker that has claimed it' })
  owner!: string | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'until when the claim holds without a heartbeat' })
  leaseUntil!: Date | null;

  @Column({ type: 'timestamptz', comment: 'when it was last queued' })
  queuedAt!: Date;

  @Column({ type: 'timestamptz', comment: 'since when it waits: the order of claims within a crawl' })
  waitingSince!: Date;

  @Column({
    type: 'boolean',
    comment: 'the running attempt only waits for a lock, or for pages: it has released its slot',
  })
  idle!: boolean;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'of a continuous FETCH: when it last reported that it has little left to fetch',
  })
  lowSince!: Date | null;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'of a continuous FETCH: since when it has nothing to fetch',
  })
  drySince!: Date | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'when its worker claimed it' })
  claimedAt!: Date | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'state from which a later attempt continues' })
  progress!: Record<string, unknown> | null;

  @Column({ type: 'jsonb', comment: 'counters so far, written in the transactions that they count' })
  counters!: Record<string, unknown>;

  @Column({
    type: 'jsonb',
    comment: 'workers that died while they parsed a page, by its key; a page with three is given up',
  })
  deaths!: Record<string, number>;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment:
      'what the running attempt waits for: a parser and its page, another job, the queue of a host, or the database',
  })
  waits!: Record<string, unknown> | null;

  @Column({
    type: 'integer',
    nullable: true,
    comment: 'the last attempt whose lease expired while its worker was not known to be dead',
  })
  silentToken!: number | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'how it ended; set exactly when the state is DONE' })
  outcome!: Record<string, unknown> | null;
}
