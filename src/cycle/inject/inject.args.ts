import { IsBoolean, IsOptional, IsString, MaxLength } from 'class-validator';
import { AsFlag, SeedListName, StorePath } from '../args.js';
import { Described } from '../described.js';

/** Arguments of INJECT. One of `url_dir`, `seedName`, `seedDir` and `seed` is required. */
export class InjectArgs {
  static readonly names = [
    'url_dir',
    'seedName',
    'seedDir',
    'seed',
    'skipInvalid',
    'crawldb',
    'overwrite',
    'update',
    'noFilter',
    'noNormalize',
  ];

  @SeedListName({
    description: 'Seed list, 1.x: what POST /seed/create answered.',
    example: 'seedFiles/seed-docs',
  })
  url_dir?: string;

  @SeedListName({ description: 'Name of a stored seed list.', example: 'docs' })
  seedName?: string;

  @SeedListName({
    description: 'Seed list, 2.x: what POST /seed/create answered.',
    example: 'seedFiles/seed-docs',
  })
  seedDir?: string;

  @Described({
    description:
      'The seeds themselves: one URL a line, `URL TAB key=value …`. They are stored as a seed list whose name the job then shows. Not beside `url_dir`, `seedName` or `seedDir`.',
    example: 'https://nutch.apache.org/\tnutch.score=2',
  })
  @IsOptional()
  @IsString()
  @MaxLength(16_777_216)
  seed?: string;

  @Described({
    description:
      'Lines of `seed` that are no seeds are left out, and named in the header `Orbweaver-Notice`. Without it they are refused, and all others with them.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  skipInvalid?: boolean;

  @StorePath('crawldb')
  crawldb?: string;

  @Described({
    description: 'A known page is replaced by the injected one (db.injector.overwrite).',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  overwrite?: boolean;

  @Described({
    description: 'A known page takes over metadata, score and interval of the seed (db.injector.update).',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  update?: boolean;

  @Described({ description: 'Seeds are not filtered.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noFilter?: boolean;

  @Described({ description: 'Seeds are not normalized.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noNormalize?: boolean;
}
