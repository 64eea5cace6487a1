/** `POST /v1/inspect/generate`: what GENERATE would select now. */
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsObject, Matches } from 'class-validator';
import { GenerateArgs } from '../../cycle/generate/generate.args.js';
import { crawlIdShape, idShape, mustBeCrawlId, mustBeId } from '../request/ids.js';

@ApiExtraModels(GenerateArgs)
export class InspectGenerate {
  @ApiPropertyOptional({ description: 'The crawl.', default: '', example: 'k1' })
  @Transform(({ value }) => value ?? '')
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId: string = '';

  @ApiPropertyOptional({ description: 'The configuration.', default: 'default', example: 'default' })
  @Transform(({ value }) => value ?? 'default')
  @Matches(idShape, mustBeId)
  confId: string = 'default';

  @ApiPropertyOptional({
    description: 'Arguments as for the job GENERATE. `batch` and `force` change nothing, as nothing is marked.',
    allOf: [{ $ref: getSchemaPath(GenerateArgs) }],
    example: { topN: 1_000 },
  })
  @Transform(({ value }) => value ?? {})
  @IsObject()
  args: Record<string, unknown> = {};
}

export class HostShare {
  @ApiProperty({ description: 'The host.', example: 'example.org' })
  host!: string;

  @ApiProperty({ description: 'Pages of it that would be selected.', example: 12 })
  count!: number;
}

export class InspectedBatch {
  @ApiProperty({ description: 'Pages that would be selected.', example: 12 })
  count!: number;

  @ApiProperty({ description: 'By host, the largest first; at most 100.', type: [HostShare] })
  byHost!: HostShare[];

  @ApiProperty({ description: 'Hosts in all.', example: 1 })
  hosts!: number;

  @ApiProperty({
    description:
      'Pages left out, by reason: the counters of GENERATE (NOT_DUE, HOST_DRAINED, HOST_BLOCKED, DISTANCE, SCORE_TOO_LOW, STATUS_REJECTED, INTERVAL_REJECTED, URL_FILTERS_REJECTED, EXPR_REJECTED, HOST_LIMIT, PARTITION_LIMIT), TOP_N (the batch was full before them) and IN_BATCH. TOP_N, NOT_DUE and IN_BATCH are counted up to 100,000.',
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { NOT_DUE: 340, HOST_LIMIT: 7 },
  })
  leftOut!: Record<string, number>;

  @ApiProperty({
    description: 'The first pages, best first; at most 100.',
    type: [String],
    example: ['http://example.org/'],
  })
  sample!: string[];

  @ApiProperty({ description: 'False when the time was over before all candidates were looked at.', example: true })
  complete!: boolean;

  @ApiProperty({
    description: 'Why the batch is smaller than topN although more is due.',
    type: String,
    nullable: true,
    example: null,
  })
  warning!: string | null;
}
