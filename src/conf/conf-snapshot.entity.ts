import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Params } from '../core/conf/properties.js';

/** A configuration as jobs run with it, by the hash of its content. */
@Entity('conf_snapshot')
export class ConfSnapshotEntity {
  @PrimaryColumn({ type: 'text', comment: 'hash of the properties' })
  hash!: string;

  @Column({ type: 'jsonb', comment: 'the properties that jobs with this hash run with, rules of files included' })
  params!: Params;

  @Column({ type: 'timestamptz', comment: 'when a job was last made with it, to the hour' })
  usedAt!: Date;
}
