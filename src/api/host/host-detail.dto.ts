/** One host with what jobs found out about it: its sitemaps, and the facts of HOSTDB. */
import { Field, FieldOf, FieldOrNull, TimeOrNull } from '../openapi/fields.js';
import { WaitDto } from '../worker/wait.dto.js';
import { HostDto } from './host.dto.js';

export class HostSitemap {
  @Field('Where it is.', 'http://example.org/sitemap.xml')
  url!: string;

  @Field(
    'How it was found: a seed line, an argument of SITEMAP, robots.txt, the default URL (/sitemap.xml), or an index.',
    'robots',
    { enum: ['seed', 'argument', 'robots', 'default', 'index'] },
  )
  source!: string;

  @Field('What became of it when SITEMAP read it last; null: it was not read yet.', 'fetched', {
    enum: ['fetched', 'not_modified', 'gone', 'robots_denied', 'not_a_sitemap', 'failed', null],
    nullable: true,
    type: String,
  })
  status!: string | null;

  @FieldOrNull(Number, 'HTTP status of that answer.', 200)
  httpStatus!: number | null;

  @FieldOrNull(Number, 'Entries, or sitemaps of an index, when it was read well.', 120)
  entries!: number | null;

  @FieldOrNull(String, 'Why it could not be read, or what in it could not be used.', null)
  error!: string | null;

  @TimeOrNull('When it was read last. ISO 8601, UTC.')
  fetchedAt!: string | null;
}

export class HostWait extends WaitDto {
  @Field('The job that waits.', 'k1-default-FETCH-3')
  job!: string;
}

export class HostDetailDto extends HostDto {
  @FieldOf(
    [HostWait],
    'What tasks wait for that have the host at work now: those that hold its fetch queue, and those that have a page of it in hand. Empty: nothing holds it up but its pace.',
  )
  waitsFor!: HostWait[];

  @FieldOf([HostSitemap], 'Its sitemaps, those read last first, at most 100.')
  sitemaps!: HostSitemap[];

  @Field(
    'What HOSTDB found out; null before its first run.',
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
