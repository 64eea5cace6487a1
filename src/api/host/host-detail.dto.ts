/** One host with the results of jobs: its sitemaps, and the facts of HOSTDB. */
import { Field, FieldOf, FieldOrNull, TimeOrNull } from '../openapi/fields.js';
import { WaitDto } from '../worker/wait.dto.js';
import { HostDto } from './host.dto.js';

export class HostSitemap {
  @Field('Its URL.', 'http://example.org/sitemap.xml')
  url!: string;

  @Field(
    'How it was found: a seed line, an argument of SITEMAP, robots.txt, the default URL (/sitemap.xml), or an index.',
    'robots',
    { enum: ['seed', 'argument', 'robots', 'default', 'index'] },
  )
  source!: string;

  @Field('Result of the last time that SITEMAP read it; null: it was not read yet.', 'fetched', {
    enum: ['fetched', 'not_modified', 'gone', 'robots_denied', 'not_a_sitemap', 'failed', null],
    nullable: true,
    type: String,
  })
  status!: string | null;

  @FieldOrNull(Number, 'HTTP status of that answer.', 200)
  httpStatus!: number | null;

  @FieldOrNull(Number, 'Number of entries, or of sitemaps in an index, if it could be read.', 120)
  entries!: number | null;

  @FieldOrNull(String, 'Why it could not be read, or which part of it could not be used.', null)
  error!: string | null;

  @TimeOrNull('When it was last read. ISO 8601, UTC.')
  fetchedAt!: string | null;
}

export class HostWait extends WaitDto {
  @Field('The job that waits.', 'k1-default-FETCH-3')
  job!: string;
}

export class HostDetailDto extends HostDto {
  @FieldOf(
    [HostWait],
    'What tasks that work on the host wait for: those that have the lease of its fetch queue, and those that are processing one of its pages. Empty: nothing but the delay slows it down.',
  )
  waitsFor!: HostWait[];

  @FieldOf([HostSitemap], 'Its sitemaps, most recently read first, at most 100.')
  sitemaps!: HostSitemap[];

  @Field(
    'Facts that HOSTDB collected; null before its first run.',
    {
      updatedAt: '2026-01-01T00:00:00.000Z',
      dnsFailures: 0,
      dnsCheckedAt: '2026-01-01T00:00:00.000Z',
      overdue: 2,
      inlinks: 5,
      linkingHosts: 2,
      numbers: { _rs_: { count: 7, min: 3, max: 40, sum: 80, avg: 11.43, percentiles: { '50': 9, '95': 38 } } },
      strings: { 'Content-Type': { 'text/html': 7 } },
    },
    { type: 'object', additionalProperties: true, nullable: true },
  )
  hostdb!: Record<string, unknown> | null;
}
