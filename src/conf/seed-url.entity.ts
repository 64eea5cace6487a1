import { Column, Entity, PrimaryColumn } from 'typeorm';
import { numberOfClient } from './seed-list.entity.js';

@Entity('seed_url')
export class SeedUrlEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'its list' })
  list!: string;

  @PrimaryColumn({ type: 'integer', comment: 'position in the list' })
  position!: number;

  @Column({ type: 'bigint', nullable: true, transformer: numberOfClient, comment: 'number that a 1.x client gave it' })
  id!: number | null;

  @Column({ type: 'text', comment: 'seed line: URL, TAB, `key=value` …' })
  line!: string;
}
