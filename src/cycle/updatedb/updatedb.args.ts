import { Transform } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { FlagArg, ForceFlag, Segments, StorePathArg, TextArg } from '../arg-kinds.js';
import { IsBatchId } from '../args.js';
import { Described } from '../arg-description.js';

export class UpdateDbArgs {
  static readonly names = ['segment_dir', 'segments_dir', 'dir'];

  @Described({
    description: 'Batch to process, or `-all`: every batch of which something was fetched. Default: `-all`.',
    example: '1763600000-1804289383',
  })
  @IsOptional()
  @Transform(({ value }) => (value === null ? undefined : String(value)))
  @IsBatchId()
  batch?: string;

  @Segments()
  segment?: string[];

  @FlagArg('New links are not added: only known pages change. Default: the opposite of db.update.additions.allowed.')
  noAdditions?: boolean;

  @FlagArg('Normalize the links again by the rules of now (crawldb.url.normalizers).')
  normalize?: boolean;

  @FlagArg('Filter the links again by the rules of now (crawldb.url.filters).')
  filter?: boolean;

  @ForceFlag()
  force?: boolean;

  @TextArg('The crawl to work on, in place of crawlId (2.x).', 'k1')
  crawl?: string;

  @Described({
    description:
      'Given by a CRAWL. For the batches that a continuous one has open: `fetched` processes what its FETCH has done so far and keeps them open, `all` closes them. `left` closes those that earlier CRAWLs have left open.',
    enum: ['fetched', 'all', 'left'],
    example: 'fetched',
  })
  @IsOptional()
  @IsIn(['fetched', 'all', 'left'])
  ofCrawl?: 'fetched' | 'all' | 'left';

  @FlagArg('Given by a CRAWL with `index`: records the pages whose documents may change, for its INDEX.')
  documentsDue?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;
}
