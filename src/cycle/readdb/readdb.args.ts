import { FlagArg, StorePathArg } from '../arg-kinds.js';

export class ReadDbArgs {
  @FlagArg('Counts by host and quantiles of the score, too.', true)
  sort?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;
}
