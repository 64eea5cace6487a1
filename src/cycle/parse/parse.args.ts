import { IsBoolean, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { AsFlag, AsNumber, AsSegment, AsText, BATCH_ID } from '../args.js';
import { Described } from '../described.js';

/** Arguments of PARSE. */
export class ParseArgs {
  static readonly names = [
    'batch',
    'segment',
    'resume',
    'force',
    'nofilter',
    'nonormalize',
    'noFilter',
    'noNormalize',
    'numTasks',
    'segment_dir',
  ];

  @Described({
    description:
      'Batch to parse; `-all`: every fetched page; `-reparse`: every page with content of its last visit (status 2, 6, 7, 8 or 9). Default: `-all`.',
    example: '1763600000-1804289383',
  })
  @IsOptional()
  @AsText()
  @IsString()
  @Matches(BATCH_ID)
  batch?: string;

  @Described({ description: 'Batch to parse, as 1.x clients name it.', example: '1763600000-1804289383' })
  @IsOptional()
  @AsSegment()
  @IsString()
  @Matches(BATCH_ID)
  segment?: string;

  @Described({
    description: 'Accepted for 2.x clients: parsed pages of the batch are skipped in any case.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  resume?: boolean;

  @Described({ description: 'Parse again what was parsed in this batch.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  force?: boolean;

  @Described({ description: 'Outlinks are not filtered.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  nofilter?: boolean;

  @Described({ description: 'Outlinks are not normalized.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  nonormalize?: boolean;

  @Described({ description: 'As nofilter.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noFilter?: boolean;

  @Described({ description: 'As nonormalize.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noNormalize?: boolean;

  @Described({ description: 'Tasks to split the job into. Default: the number of workers.', example: 2 })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(64)
  numTasks?: number;
}
