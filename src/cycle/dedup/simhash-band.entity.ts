import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A SimHash, under 16 of its bits. */
@Entity('simhash_band')
export class SimhashBandEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @Column({ type: 'boolean', comment: 'its pages stay; else they are near to better ones' })
  kept!: boolean;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'host or domain with `group` host or domain, else empty' })
  place!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'which 16 bits (0 to 3), and their value in hex' })
  band!: string;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'the SimHash' })
  signature!: string;
}
