import { FlagArg, ForceFlag, StorePathArg } from '../arg-kinds.js';

export class CleanArgs {
  @FlagArg('Do not tell the engine to show what was deleted.')
  noCommit?: boolean;

  @FlagArg(
    'Delete the documents under the URLs that the rules of now give (scope `indexer`): those that INDEX wrote with `normalize`.',
  )
  normalize?: boolean;

  @ForceFlag()
  force?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;
}
