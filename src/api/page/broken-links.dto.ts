/** Broken links as /v1 shows them. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { WholeNumber } from '../request/whole-number.js';
import { textOrNull } from './page.dto.js';
import { PageQuery } from './pages-query.js';

export class BrokenLinksQuery extends PageQuery {
  @ApiPropertyOptional({
    description:
      'Links on the pages of one host: `www.site.test`, or reversed, `test.site.www`. Default: of every host; with `target` of its own.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  host?: string;

  @ApiPropertyOptional({ description: 'Only links to this URL, which the crawl must know.' })
  @IsOptional()
  @IsString()
  @MaxLength(4_096)
  target?: string;

  @WholeNumber({ description: 'Links at most.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @ApiPropertyOptional({ description: '`cursor` of the answer before: goes on behind it.' })
  @IsOptional()
  @IsString()
  @MaxLength(4_096)
  cursor?: string;
}

export class BrokenLink {
  @ApiProperty({ description: 'Page that is linked to.', example: 'http://example.org/old' })
  target!: string;

  @ApiProperty({ description: 'Its status.', example: 'db_gone' })
  status!: string;

  @ApiProperty({ description: 'Protocol status of its last visit, by name.', example: 'NOTFOUND' })
  protocol!: string;

  @ApiProperty({
    description: 'HTTP status of its last visit; null without an answer.',
    type: Number,
    nullable: true,
    example: 404,
  })
  httpStatus!: number | null;

  @ApiProperty({ description: 'Page that links there.', example: 'http://example.org/docs/' })
  source!: string;

  @ApiProperty({ description: 'Text of the link.', example: 'the old docs' })
  anchor!: string;
}

export class BrokenLinkList {
  @ApiProperty({ description: 'Links in the order of the pages that have them.', type: [BrokenLink] })
  links!: BrokenLink[];

  @ApiProperty(
    textOrNull(
      'Give it as `cursor` to read on; null when there are no more pages. An answer may have few links, or none, and a cursor: a call reads some pages, however many of their links are broken.',
      null,
    ),
  )
  cursor!: string | null;
}
