import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A worker process, as its last heartbeat told. */
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

  @Column({ type: 'integer', comment: 'tasks that it may have at work at once' })
  slots!: number;

  @Column({ type: 'boolean', comment: 'it hands back what it holds and takes nothing more' })
  leaving!: boolean;

  @Column({ type: 'real', comment: 'pages fetched or parsed since the beat before' })
  pagesPerSecond!: number;

  @Column({ type: 'real', comment: 'share of the time in which its event loop was busy' })
  load!: number;

  @Column({ type: 'bigint', comment: 'resident memory' })
  memoryBytes!: string;

  @Column({ type: 'timestamptz', comment: 'when it began' })
  startedAt!: Date;

  @Column({
    type: 'timestamptz',
    comment: 'its last beat; silent for longer than a lease it is lost, after an hour the row goes',
  })
  seenAt!: Date;
}
