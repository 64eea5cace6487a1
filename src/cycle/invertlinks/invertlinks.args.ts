import { BatchArg, FlagArg, ForceFlag, Segments, StorePathArg, TextArg } from '../arg-kinds.js';

export class InvertLinksArgs {
  @BatchArg('Batch whose pages are inverted; `-all`: every page with links. Default: the newest batch.')
  batch?: string;

  @Segments()
  segment?: string[];

  @TextArg('A folder of segments (1.x), however it is written: every page with links, as `-all`.', 'k1/segments')
  segment_dir?: string;

  @TextArg('`segment_dir` as some examples of Nutch spell it.', 'k1/segments')
  segments_dir?: string;

  @TextArg('`segment_dir` as the command line of Nutch names it (`-dir`).', 'k1/segments')
  dir?: string;

  @FlagArg('Do not normalize the links by the rules of now (scope `linkdb`).')
  noNormalize?: boolean;

  @FlagArg('Do not filter the links by the rules of now.')
  noFilter?: boolean;

  @ForceFlag()
  force?: boolean;

  @StorePathArg('linkdb')
  linkdb?: string;

  @FlagArg('Given by a CRAWL with `index`: records the pages whose documents may change, for its INDEX.')
  documentsDue?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;
}
