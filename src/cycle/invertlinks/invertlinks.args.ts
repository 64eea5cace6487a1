import { IsBoolean, IsOptional, IsString, Matches } from 'class-validator';
import { AsFlag, AsText, BATCH_ID, Segments, StorePath } from '../args.js';
import { Described } from '../described.js';

/** Arguments of INVERTLINKS. */
export class InvertLinksArgs {
  static readonly names = [
    'batch',
    'segment',
    'segment_dir',
    'segments_dir',
    'noNormalize',
    'noFilter',
    'force',
    'linkdb',
    'crawldb',
  ];

  @Described({
    description: 'Batch whose pages are inverted; `-all`: every page with links. Default: the newest batch.',
    example: '1763600000-1804289383',
  })
  @IsOptional()
  @AsText()
  @IsString()
  @Matches(BATCH_ID)
  batch?: string;

  @Segments()
  segment?: string[];

  @Described({
    description: 'A folder of segments (1.x), however it is written: every page with links, as `-all`.',
    example: 'k1/segments',
  })
  @IsOptional()
  @AsText()
  @IsString()
  segment_dir?: string;

  @Described({ description: 'The same, as some examples of Nutch spell it.', example: 'k1/segments' })
  @IsOptional()
  @AsText()
  @IsString()
  segments_dir?: string;

  @Described({
    description: 'Do not normalize the links by the rules of now (scope `linkdb`).',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noNormalize?: boolean;

  @Described({ description: 'Do not filter the links by the rules of now.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noFilter?: boolean;

  @Described({
    description: 'Accepted for 1.x clients: jobs that would fight wait for each other.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  force?: boolean;

  @StorePath('linkdb')
  linkdb?: string;

  @StorePath('crawldb')
  crawldb?: string;
}
