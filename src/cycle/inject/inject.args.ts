import { FlagArg, SeedLinesArg, SeedListName, SkipInvalid, StorePathArg } from '../arg-kinds.js';

/** Arguments of INJECT. One of `url_dir`, `seedName`, `seedDir` and `seed` is required. */
export class InjectArgs {
  @SeedListName('Seed list, 1.x: what POST /seed/create answered.', 'seedFiles/seed-docs')
  url_dir?: string;

  @SeedListName('Name of a stored seed list.', 'docs')
  seedName?: string;

  @SeedListName('Seed list, 2.x: what POST /seed/create answered.', 'seedFiles/seed-docs')
  seedDir?: string;

  @SeedLinesArg(
    'The seeds themselves: one URL a line, `URL TAB key=value …`. They are stored as a seed list whose name the job then shows. Not beside `url_dir`, `seedName` or `seedDir`.',
    'https://nutch.apache.org/\tnutch.score=2',
  )
  seed?: string;

  @SkipInvalid()
  skipInvalid?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;

  @FlagArg('A known page is replaced by the injected one (db.injector.overwrite).')
  overwrite?: boolean;

  @FlagArg('A known page takes over metadata, score and interval of the seed (db.injector.update).')
  update?: boolean;

  @FlagArg('Seeds are not filtered.')
  noFilter?: boolean;

  @FlagArg('Seeds are not normalized.')
  noNormalize?: boolean;
}
