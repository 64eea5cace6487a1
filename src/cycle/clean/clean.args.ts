import { FlagArg, StorePath } from '../arg-kinds.js';

export class CleanArgs {
  @FlagArg('Do not tell the engine to show what was deleted.')
  noCommit?: boolean;

  @FlagArg('Accepted for 1.x clients: jobs that would fight wait for each other.')
  force?: boolean;

  @StorePath('crawldb')
  crawldb?: string;
}
