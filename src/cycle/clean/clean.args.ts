import { FlagArg, ForceFlag, StorePathArg } from '../arg-kinds.js';

export class CleanArgs {
  @FlagArg('Do not tell the engine to show what was deleted.')
  noCommit?: boolean;

  @ForceFlag()
  force?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;
}
