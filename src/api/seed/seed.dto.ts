import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class SeedUrl {
  @ApiPropertyOptional({
    description: 'A number that the client gives; text with digits is read too.',
    example: 0,
    nullable: true,
    type: Number,
  })
  id!: number | null;

  @ApiProperty({
    description:
      'One seed line: a URL, then key=value pairs divided by TABs (nutch.score, nutch.fetchInterval, metadata).',
    example: 'http://example.org/',
  })
  url!: string;
}

/** A seed list as it comes in. */
export class SeedListInput {
  @ApiPropertyOptional({
    description: 'A number that the client gives; text with digits is read too.',
    example: 12345,
    nullable: true,
    type: Number,
  })
  id?: number | null;

  @ApiPropertyOptional({
    description: 'Name of the list. Without one the server makes `seed-<ms>`. A list of the same name is replaced.',
    example: 's1',
  })
  name?: string;

  @ApiProperty({ description: 'The seeds.', type: [SeedUrl] })
  seedUrls!: SeedUrl[];

  @ApiPropertyOptional({
    description:
      'The list is stored without its bad lines: how many there are, and the first of them with the reason, stand in the header `Orbweaver-Notice`. A list of bad lines only is refused.',
    example: false,
    default: false,
  })
  skipInvalid?: boolean;
}

/** A seed list as it is shown. */
export class SeedListDto {
  @ApiProperty({ description: 'The number that the client gave.', example: 12345, nullable: true, type: Number })
  id!: number | null;

  @ApiProperty({ description: 'Name of the list.', example: 's1' })
  name!: string;

  @ApiProperty({ description: 'What INJECT takes as `url_dir` or `seedDir`.', example: 'seedFiles/s1' })
  seedFilePath!: string;

  @ApiProperty({ description: 'Seeds of this list, from the requested position.', type: [SeedUrl] })
  seedUrls!: SeedUrl[];

  @ApiProperty({ description: 'Number of seeds of the whole list.', example: 1 })
  total!: number;
}

/** A seed list and the job that injects it. */
export class SeedListJobInput extends SeedListInput {
  @ApiPropertyOptional({ description: 'The crawl that is injected into.', example: 'k1', default: '' })
  crawlId?: string;

  @ApiPropertyOptional({ description: 'Configuration of the job.', example: 'default', default: 'default' })
  confId?: string;

  @ApiPropertyOptional({
    description: 'Further arguments of the INJECT job.',
    type: 'object',
    additionalProperties: true,
    example: { overwrite: false },
  })
  args?: Record<string, unknown>;
}
