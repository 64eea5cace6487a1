import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A rule file that a property of a configuration may name. */
@Entity('rule_file')
export class RuleFileEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'name of the file' })
  name!: string;

  @Column({ type: 'text', comment: 'its content' })
  content!: string;

  @Column({ type: 'timestamptz', comment: 'when it was first stored' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', comment: 'when it was last replaced' })
  updatedAt!: Date;
}
