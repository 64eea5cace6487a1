/**
 * The columns of the table `webpage`, with a comment each, from which docs/data-model.md is generated (`npm run openapi`).
 * The program reads and writes these rows by SQL, in sets. A row is a page with its state in the cycle: its rank while it
 * waits to be selected, then its batch and the marks of the steps. Long values are in `page_content`, so that rows stay
 * short.
 */
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RobotsLine } from '../core/robots/robots-file.js';

/** A URL of a crawl. Read only: the steps write pages, their counts per host and their marks together. */
@Entity('webpage')
export class WebpageEntity {
  @PrimaryColumn({ type: 'integer', comment: 'number of the crawl (`crawl.id`)' })
  crawl!: number;

  @PrimaryColumn({
    type: 'text',
    collation: 'C',
    comment: 'reversed host: the key up to its first colon (a CHECK ensures that)',
  })
  host!: string;

  @PrimaryColumn({
    type: 'bigint',
    insert: false,
    update: false,
    comment: 'hash of the row key, made by the database: a page is looked up by it, as `key` alone has no index',
  })
  keyHash!: string;

  @Column({ type: 'text', collation: 'C', comment: 'row key' })
  key!: string;

  @Column({
    type: 'smallint',
    comment: 'status code (semantics/codes.md); 1 unfetched at first, 34 only between FETCH and UPDATEDB',
  })
  status!: number;

  @Column({ type: 'timestamptz', comment: 'when it is due; between FETCH and UPDATEDB the time of the visit' })
  fetchTime!: Date;

  @Column({ type: 'timestamptz', nullable: true, comment: 'when it was due before the last visit' })
  prevFetchTime!: Date | null;

  @Column({ type: 'integer', comment: 'seconds between two visits' })
  fetchInterval!: number;

  @Column({ type: 'smallint', comment: 'temporary failures in a row' })
  retriesSinceFetch!: number;

  @Column({ type: 'timestamptz', nullable: true, comment: 'when the content last changed, as far as known' })
  modifiedTime!: Date | null;

  @Column({ type: 'timestamptz', nullable: true, comment: 'the value before' })
  prevModifiedTime!: Date | null;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: '`Last-Modified` of the answer, sent back as `If-Modified-Since`',
  })
  lastModified!: Date | null;

  @Column({ type: 'text', nullable: true, comment: '`ETag` of the answer, sent back as `If-None-Match`' })
  etag!: string | null;

  @Column({ type: 'double precision', comment: 'importance (OPIC): grows by the contributions of links' })
  score!: number;

  @Column({
    type: 'double precision',
    comment: 'score that the page will hand to its outlinks when it is next fetched',
  })
  cash!: number;

  @Column({
    type: 'double precision',
    nullable: true,
    comment: 'cash frozen by GENERATE, distributed or returned by UPDATEDB; null outside a batch',
  })
  spend!: number | null;

  @Column({
    type: 'integer',
    nullable: true,
    comment: 'logarithm of the score in whole numbers (6e-8 a step) of a selectable page, else null',
  })
  rank!: number | null;

  @Column({ type: 'integer', comment: 'fewest links from a seed' })
  distance!: number;

  @Column({ type: 'integer', nullable: true, comment: 'distance frozen by GENERATE; null outside a batch' })
  spendDistance!: number | null;

  @Column({
    type: 'double precision',
    nullable: true,
    comment: 'cash distributed so far; only with `scoring.opic.mode` textbook',
  })
  history!: number | null;

  @Column({
    type: 'double precision',
    nullable: true,
    comment: 'score of its content by scoring filters, a part of `score`; only with scoring-similarity or the like',
  })
  contentScore!: number | null;

  @Column({
    type: 'timestamptz',
    nullable: true,
    comment: 'when a page of a batch last linked to it; only with scoring-orphan',
  })
  lastInlink!: Date | null;

  @Column({
    type: 'integer',
    nullable: true,
    comment: '31-bit hash of the queue key (host, domain or address): all pages of a queue are in one task',
  })
  partitionHash!: number | null;

  @Column({ type: 'text', comment: 'how it was found: `seed`, `link`, `redirect`, `sitemap`' })
  sourceKind!: string;

  @Column({ type: 'text', nullable: true, comment: '`y` for a seed, `s` for a sitemap' })
  injectMark!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'the batch it was last generated into' })
  batchId!: string | null;

  @Column({ type: 'text', collation: 'C', nullable: true, comment: 'the batch it is in now' })
  generateMark!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'the same batch, once fetched' })
  fetchMark!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'the same batch, once parsed' })
  parseMark!: string | null;

  @Column({
    type: 'text',
    collation: 'C',
    nullable: true,
    comment: 'the last batch that UPDATEDB closed with a parse mark',
  })
  updateMark!: string | null;

  @Column({
    type: 'text',
    nullable: true,
    comment: 'the batch under which INDEX last wrote its document; null: it has none',
  })
  indexMark!: string | null;

  @Column({ type: 'smallint', nullable: true, comment: 'protocol status code of the last visit (semantics/codes.md)' })
  protocolCode!: number | null;

  @Column({
    type: 'text',
    array: true,
    nullable: true,
    comment: "its arguments: a redirect's target, the line of robots.txt, the rule that refused an address",
  })
  protocolArgs!: string[] | null;

  @Column({
    type: 'jsonb',
    nullable: true,
    comment: 'the line of robots.txt that forbade the last visit: its number and its text',
  })
  robotsLine!: RobotsLine | null;

  @Column({ type: 'smallint', nullable: true, comment: 'HTTP status of the last visit; null when there was no answer' })
  httpStatus!: number | null;

  @Column({ type: 'smallint', nullable: true, comment: 'parse status: 0 not parsed, 1 success, 2 failed' })
  parseMajor!: number | null;

  @Column({ type: 'smallint', nullable: true, comment: 'why: 0 ok, 100 redirect, 200 exception, 202 truncated …' })
  parseMinor!: number | null;

  @Column({ type: 'text', array: true, nullable: true, comment: 'its words' })
  parseArgs!: string[] | null;

  @Column({
    type: 'text',
    nullable: true,
    comment: 'signature of the content, 32 hex digits; 16 with SimHashSignature',
  })
  signature!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'the previous signature: equal means not modified' })
  prevSignature!: string | null;

  @Column({ type: 'text', nullable: true, comment: '`Content-Type` as it came' })
  contentType!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'the URL that answered' })
  baseUrl!: string | null;

  @Column({
    type: 'text',
    nullable: true,
    comment: 'the URL that represents a redirected page, also one with a meta refresh',
  })
  reprUrl!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'where a redirect leads, as it came (resolved)' })
  redirectUrl!: string | null;

  @Column({ type: 'text', nullable: true, comment: 'title of the page' })
  title!: string | null;

  @Column({ type: 'jsonb', nullable: true, comment: 'seed metadata, `language`, `metatag.*`, `caching.forbidden`' })
  metadata!: Record<string, unknown> | null;

  @Column({
    type: 'text',
    array: true,
    nullable: true,
    comment: 'names of the metadata that the last parse has set: the next one removes them',
  })
  parseMetadata!: string[] | null;
}
