import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A host of a crawl: its pages by status, its settings, its back-off. */
@Entity('host')
export class HostEntity {
  @PrimaryColumn({ type: 'integer', comment: 'as in `webpage`' })
  crawl!: number;

  @PrimaryColumn({ type: 'text', collation: 'C', comment: 'reversed host' })
  host!: string;

  @Column({ type: 'text', collation: 'C', comment: 'reversed registered domain (public suffix list)' })
  domain!: string;

  @Column({ type: 'bigint', comment: 'pages of status 1' })
  nUnfetched!: string;

  @Column({ type: 'bigint', comment: 'pages of status 2' })
  nFetched!: string;

  @Column({ type: 'bigint', comment: 'pages of status 3' })
  nGone!: string;

  @Column({ type: 'bigint', comment: 'pages of status 4' })
  nRedirTemp!: string;

  @Column({ type: 'bigint', comment: 'pages of status 5' })
  nRedirPerm!: string;

  @Column({ type: 'bigint', comment: 'pages of status 6' })
  nNotmodified!: string;

  @Column({ type: 'bigint', comment: 'pages of status 7' })
  nDuplicate!: string;

  @Column({ type: 'bigint', comment: 'pages of status 8' })
  nOrphan!: string;

  @Column({ type: 'bigint', comment: 'pages of status 9' })
  nParseFailed!: string;

  @Column({ type: 'bigint', comment: 'pages of status 34' })
  nRetry!: string;

  @Column({ type: 'integer', comment: 'failures of the host in a row (5xx, 429, network)' })
  failures!: number;

  @Column({ type: 'integer', nullable: true, comment: 'set by an operator: delay after a request' })
  delayMs!: number | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'the host is blocked until then' })
  blockedUntil!: Date | null;

  @Column({ type: 'text', nullable: true, comment: 'by whom: `hand`, or `back-off` after failures' })
  blockedBy!: string | null;

  @Column({ type: 'integer', nullable: true, comment: 'set by an operator: delay if the queue has several threads' })
  minDelayMs!: number | null;

  @Column({ type: 'smallint', nullable: true, comment: 'set by an operator: concurrent requests' })
  threads!: number | null;

  @Column({ type: 'boolean', comment: 'set by an operator: nothing new is fetched from it' })
  drain!: boolean;

  @Column({ type: 'text', nullable: true, comment: 'HOSTDB: the page at the root of the host, or its redirect' })
  homepage!: string | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'lines of the argument `hosts` of HOSTDB' })
  metadata!: Record<string, unknown> | null;

  @Column({ type: 'integer', comment: 'HOSTDB: resolutions that failed, in a row' })
  dnsFailures!: number;

  @Column({ type: 'timestamptz', nullable: true, comment: 'HOSTDB: when it was resolved last' })
  dnsCheckedAt!: Date | null;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment:
      'HOSTDB: overdue pages, numbers with percentiles by field, texts with counts by field, hosts that link here',
  })
  hostdb!: Record<string, unknown> | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'HOSTDB: when that was computed' })
  hostdbAt!: Date | null;

  @Column({
    type: 'integer',
    nullable: true,
    comment: 'GENERATE: the delay by `generate.fetch.delay.expr` for its batch',
  })
  fetchDelayMs!: number | null;
}
