import { IsIn, IsOptional, Matches, MaxLength } from 'class-validator';
import { PARAMETERS_SHAPE } from '../../core/indexing/plugin-parameters.js';
import { Described } from '../arg-description.js';
import { BatchArg, FlagArg, ForceFlag, Segments, StorePathArg, TextArg } from '../arg-kinds.js';

export class IndexArgs {
  @BatchArg(
    'Batch whose pages are indexed, after its UPDATEDB; `-all`: every page that UPDATEDB has taken in; `-reindex`: every parsed page. Default: the newest batch.',
  )
  batch?: string;

  @Segments()
  segment?: string[];

  @TextArg('A folder of segments (1.x), however it is written: as `-all`.', 'k1/segments')
  segment_dir?: string;

  @TextArg('`segment_dir` as some examples of Nutch spell it.', 'k1/segments')
  segments_dir?: string;

  @TextArg('`segment_dir` as the command line of Nutch names it (`-dir`).', 'k1/segments')
  dir?: string;

  @FlagArg('Do not tell the engine to show what was written.')
  noCommit?: boolean;

  @FlagArg('Delete pages of the batch that are gone, redirected or duplicates (also `indexer.delete`).')
  deleteGone?: boolean;

  @FlagArg('Normalize the URLs of pages by the rules of now (scope `indexer`): the documents have those.')
  normalize?: boolean;

  @FlagArg('Leave out pages whose URLs the filters of now refuse.')
  filter?: boolean;

  @FlagArg('Add the content as it came, as field `binaryContent`: text, or with `base64` in base 64.')
  addBinaryContent?: boolean;

  @FlagArg('Write that content in base 64.')
  base64?: boolean;

  @TextArg('Parameters over those of every writer: `name=value&name=value`; `%26` is `&` in a value.', 'parts=4')
  @Matches(PARAMETERS_SHAPE, { message: '$property must be name=value, joined by & where there are several' })
  @MaxLength(10_000)
  params?: string;

  @Described({
    description:
      'Given by a CRAWL with `index`: `updated` takes the pages that its jobs have recorded (`documentsDue`).',
    enum: ['updated'],
    example: 'updated',
  })
  @IsOptional()
  @IsIn(['updated'])
  ofCrawl?: 'updated';

  @ForceFlag()
  force?: boolean;

  @StorePathArg('linkdb')
  linkdb?: string;

  @StorePathArg('crawldb')
  crawldb?: string;
}
