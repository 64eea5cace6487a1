import { IsBoolean, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { AsFlag, AsNumber, AsSegment, AsText, IsBatchId } from '../args.js';
import { Described } from '../described.js';

/** Arguments of FETCH. */
export class FetchArgs {
  static readonly names = [
    'batch',
    'segment',
    'threads',
    'resume',
    'numTasks',
    'sitemap',
    'segment_dir',
    'noParsing',
    'parse',
  ];

  @Described({
    description: 'Batch to fetch, or `-all` for every generated page. Default: every open batch, sitemaps too.',
    example: '1763600000-1804289383',
  })
  @IsOptional()
  @AsText()
  @IsString()
  @IsBatchId()
  batch?: string;

  @Described({ description: 'Batch to fetch, as 1.x clients name it.', example: '1763600000-1804289383' })
  @IsOptional()
  @AsSegment()
  @IsString()
  @IsBatchId()
  segment?: string;

  @Described({
    description:
      'Requests under way at once, over all tasks of the job and all servers. Default: fetcher.threads.fetch for each server.',
    example: 10,
  })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(1_000)
  threads?: number;

  @Described({
    description: 'Skip pages of the batch that were fetched already. Default: they are fetched again.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  resume?: boolean;

  @Described({
    description: 'Tasks to split the job into; all pages of a host are in one. Default: the number of workers.',
    example: 2,
  })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(64)
  numTasks?: number;

  @Described({
    description: 'Parse each page as it is fetched, without a PARSE job. Default: fetcher.parse.',
    example: true,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  parse?: boolean;

  @Described({
    description: 'Do not parse, whatever fetcher.parse says (1.x). `parse` wins over it.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noParsing?: boolean;

  @Described({
    description:
      'Fetch the sitemaps of the batch alone, as GENERATE with `sitemap` selects them. Without it `-all` leaves sitemaps out; a batch that is named, and without a name every open one, is fetched whatever it holds.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  sitemap?: boolean;
}
