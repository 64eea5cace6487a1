/** One host with what jobs found out about it: its sitemaps, and the facts of HOSTDB. */
import { ApiProperty } from '@nestjs/swagger';
import { WaitDto } from '../worker/wait.dto.js';
import { HostDto } from './host.dto.js';

export class HostSitemap {
  @ApiProperty({ description: 'Where it is.', example: 'http://example.org/sitemap.xml' })
  url!: string;

  @ApiProperty({
    description:
      'How it was found: a seed line, an argument of SITEMAP, robots.txt, the default URL (/sitemap.xml), or an index.',
    enum: ['seed', 'argument', 'robots', 'default', 'index'],
    example: 'robots',
  })
  source!: string;

  @ApiProperty({
    description: 'What became of it when SITEMAP read it last; null: it was not read yet.',
    enum: ['fetched', 'not_modified', 'gone', 'robots_denied', 'not_a_sitemap', 'failed', null],
    nullable: true,
    type: String,
    example: 'fetched',
  })
  status!: string | null;

  @ApiProperty({ description: 'HTTP status of that answer.', type: Number, nullable: true, example: 200 })
  httpStatus!: number | null;

  @ApiProperty({
    description: 'Entries, or sitemaps of an index, when it was read well.',
    type: Number,
    nullable: true,
    example: 120,
  })
  entries!: number | null;

  @ApiProperty({
    description: 'Why it could not be read, or what in it could not be used.',
    type: String,
    nullable: true,
    example: null,
  })
  error!: string | null;

  @ApiProperty({
    description: 'When it was read last. ISO 8601, UTC.',
    type: String,
    format: 'date-time',
    nullable: true,
  })
  fetchedAt!: string | null;
}

export class HostWait extends WaitDto {
  @ApiProperty({ description: 'The job that waits.', example: 'k1-default-FETCH-3' })
  job!: string;
}

export class HostDetailDto extends HostDto {
  @ApiProperty({
    description:
      'What tasks wait for that have the host at work now: those that hold its fetch queue, and those that have a page of it in hand. Empty: nothing holds it up but its pace.',
    type: [HostWait],
  })
  waitsFor!: HostWait[];

  @ApiProperty({ description: 'Its sitemaps, those read last first, at most 100.', type: [HostSitemap] })
  sitemaps!: HostSitemap[];

  @ApiProperty({
    description: 'What HOSTDB found out; null before its first run.',
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: {
      updatedAt: '2026-01-01T00:00:00.000Z',
      dnsFailures: 0,
      dnsCheckedAt: '2026-01-01T00:00:00.000Z',
      overdue: 2,
      inlinks: 5,
      linkingHosts: 2,
      numbers: { _rs_: { count: 7, min: 3, max: 40, sum: 80, avg: 11.43, percentiles: { '50': 9, '95': 38 } } },
      strings: { 'Content-Type': { 'text/html': 7 } },
    },
  })
  hostdb!: Record<string, unknown> | null;
}
