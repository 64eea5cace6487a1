import { IsBoolean, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { Transform } from 'class-transformer';
import { AsFlag, AsText, BATCH_ID, Segments, StorePath } from '../args.js';
import { Described } from '../described.js';

/** Arguments of UPDATEDB. */
export class UpdateDbArgs {
  static readonly names = [
    'batch',
    'segment',
    'segment_dir',
    'segments_dir',
    'noAdditions',
    'normalize',
    'filter',
    'force',
    'crawldb',
    'crawl',
    'ofCrawl',
  ];

  @Described({
    description:
      'Batch to bring into the table, or `-all`: every batch of which something was fetched. Default: `-all`.',
    example: '1763600000-1804289383',
  })
  @IsOptional()
  @Transform(({ value }) => (value === null ? undefined : String(value)))
  @Matches(BATCH_ID)
  batch?: string;

  @Segments()
  segment?: string[];

  @Described({
    description:
      'New links are not added: only known pages change. Default: the opposite of db.update.additions.allowed.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noAdditions?: boolean;

  @Described({
    description: 'Normalize the links again by the rules of now (crawldb.url.normalizers).',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  normalize?: boolean;

  @Described({
    description: 'Filter the links again by the rules of now (crawldb.url.filters).',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  filter?: boolean;

  @Described({
    description: 'Accepted for 1.x clients: jobs that would fight wait for each other.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  force?: boolean;

  @Described({ description: 'The crawl to work on, in place of crawlId (2.x).', example: 'k1' })
  @IsOptional()
  @AsText()
  @IsString()
  crawl?: string;

  @Described({
    description:
      'Given by a CRAWL that keeps going, for the batches it has open: `fetched` brings in what its FETCH has done so far and keeps them open, `all` closes them.',
    enum: ['fetched', 'all'],
    example: 'fetched',
  })
  @IsOptional()
  @IsIn(['fetched', 'all'])
  ofCrawl?: 'fetched' | 'all';

  @StorePath('crawldb')
  crawldb?: string;
}
