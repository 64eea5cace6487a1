import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Params } from '../core/conf/properties.js';

/** A named configuration. `default` has a row only once it was changed. */
@Entity('crawl_conf')
export class ConfigurationEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'name of the configuration' })
  id!: string;

  @Column({ type: 'jsonb', comment: 'properties that override the defaults' })
  params!: Params;

  @Column({ type: 'timestamptz', comment: 'when it was created' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', comment: 'when it was last changed' })
  updatedAt!: Date;
}
