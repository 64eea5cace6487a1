import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker process, as of its last heartbeat. */
@Entity('worker')
export class WorkerEntity {
  @PrimaryColumn({
    type: 'text',
    collation: 'C',
    comment: 'machine, boot, and id and start of the server and of the process; owner of tasks',
  })
  id!: string;

  @Column({ type: 'text', collation: 'C', comment: 'the same without the process: workers of one server' })
  server!: string;

  @Column({ type: 'text', comment: 'host name' })
  machine!: string;

  @Column({ type: 'integer', comment: 'process' })
  pid!: number;

  @Column({ type: 'text', comment: 'role of its server' })
  role!: string;

  @Column({ type: 'text', comment: 'version of the program' })
  version!: string;

  @Column({ type: 'integer', comment: 'tasks that it may run at once' })
  slots!: number;

  @Column({ type: 'boolean', comment: 'it releases its tasks and claims no more' })
  leaving!: boolean;

  @Column({ type: 'real', comment: 'pages fetched or parsed since the last heartbeat' })
  pagesPerSecond!: number;

  @Column({ type: 'real', comment: 'share of the time in which its event loop was busy' })
  load!: number;

  @Column({ type: 'bigint', comment: 'resident memory' })
  memoryBytes!: string;

  @Column({ type: 'timestamptz', comment: 'when it started' })
  startedAt!: Date;

  @Column({
    type: 'timestamptz',
    comment: 'its last heartbeat; after a lease without one it is lost, after an hour the row is deleted',
  })
  seenAt!: Date;
}
