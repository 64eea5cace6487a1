import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Numbers that clients gave to their seeds, within the range of JSON: a `bigint` column, which `pg` returns as text. */
export const numberOfClient = {
  to: (number: number | null): number | null => number,
  from: (text: string | null): number | null => (text === null ? null : Number(text)),
};

@Entity('seed_list')
export class SeedListEntity {
  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'name of the list' })
  name!: string;

  @Column({ type: 'bigint', nullable: true, transformer: numberOfClient, comment: 'number that a 1.x client gave it' })
  id!: number | null;

  @Column({ type: 'boolean', comment: 'stored for the inline seeds of a job: deleted with the last job that names it' })
  inline!: boolean;

  @Column({ type: 'timestamptz', comment: 'when it was stored or replaced' })
  createdAt!: Date;
}
