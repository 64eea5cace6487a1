import { FlagArg, StorePath } from '../arg-kinds.js';

export class ReadDbArgs {
  @FlagArg('Counts by host and quantiles of the score, too.', true)
  sort?: boolean;

  @StorePath('crawldb')
  crawldb?: string;
}
