/** `POST /v1/inspect/robots`: what a robots.txt says, without asking anybody. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';
import { InspectedLine, MAX_URL_LENGTH } from './url.dto.js';

export class InspectRobots {
  @ApiProperty({ description: 'A URL, or a path with its query.', example: 'http://example.org/private/a' })
  @IsString()
  @Length(1, MAX_URL_LENGTH)
  url!: string;

  @ApiPropertyOptional({
    description: 'The file as text. One of robotsTxt and robotsBase64 is required.',
    example: 'User-agent: *\nDisallow: /private/\n',
  })
  @IsOptional()
  @IsString()
  robotsTxt?: string;

  @ApiPropertyOptional({ description: 'The bytes of the file in base64 (RFC 4648 section 4): for other charsets.' })
  @IsOptional()
  @IsString()
  robotsBase64?: string;

  @ApiProperty({
    description:
      "The crawler's product token (`orbweaver`); a version behind a slash is ignored. Several, separated by commas, count together, as http.agent.name and http.robots.agents do.",
    example: 'orbweaver',
  })
  @IsString()
  @Length(1, 1_000)
  agent!: string;
}

export class InspectedRobots {
  @ApiProperty({ description: 'Whether the crawler may fetch the URL.', example: false })
  allowed!: boolean;

  @ApiProperty({
    description:
      'Names in the file whose groups count together: those of this crawler, else `*`; empty: there is no group for it.',
    type: [String],
    example: ['*'],
  })
  agents!: string[];

  @ApiProperty({ description: 'Crawl-delay for this crawler, seconds.', type: Number, nullable: true, example: null })
  crawlDelay!: number | null;

  @ApiProperty({
    description: 'The line that decided; null where no rule fits.',
    type: InspectedLine,
    nullable: true,
  })
  line!: InspectedLine | null;

  @ApiProperty({ description: 'Sitemap lines of the file, as written.', type: [String], example: [] })
  sitemaps!: string[];
}
