import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { AsFlag, AsNumber, SeedListName } from '../args.js';
import { Described } from '../described.js';

/** How far a crawl goes from the hosts of its pages: `db.ignore.external.links` and its mode, by one word. */
export const crawlScopes = ['host', 'domain', 'any'] as const;
export type CrawlScope = (typeof crawlScopes)[number];

const scopeProperties: Record<CrawlScope, Record<string, string>> = {
  host: { 'db.ignore.external.links': 'true', 'db.ignore.external.links.mode': 'byHost' },
  domain: { 'db.ignore.external.links': 'true', 'db.ignore.external.links.mode': 'byDomain' },
  any: { 'db.ignore.external.links': 'false' },
};

/** Arguments of CRAWL: whole rounds until nothing is due or a limit is met. Without seeds it goes on with the pages there are. */
export class CrawlArgs {
  static readonly names = [
    'seedName',
    'url_dir',
    'seedDir',
    'seed',
    'skipInvalid',
    'rounds',
    'topN',
    'limit',
    'scope',
    'adddays',
    'threads',
    'sitemaps',
    'invertLinks',
    'dedup',
    'index',
  ];

  @SeedListName({ description: 'Name of a stored seed list that the crawl begins with.', example: 'docs' })
  seedName?: string;

  @SeedListName({
    description: 'The same, as 1.x names it: what POST /seed/create answered.',
    example: 'seedFiles/seed-docs',
  })
  url_dir?: string;

  @SeedListName({
    description: 'The same, as 2.x names it: what POST /seed/create answered.',
    example: 'seedFiles/seed-docs',
  })
  seedDir?: string;

  @Described({
    description:
      'The seeds themselves, one URL a line; they are stored as a seed list. Not beside `seedName`, `url_dir` or `seedDir`.',
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

  @Described({ description: 'Rounds at most. Default: until nothing is due.', example: 3 })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(10_000)
  rounds?: number;

  @Described({ description: 'Pages a round at most. Default: generate.topN.', example: 1_000 })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  topN?: number;

  @Described({ description: 'Pages over all rounds at most. Default: no limit.', example: 10_000 })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(1_000_000_000_000)
  limit?: number;

  @Described({
    description:
      'How far links lead: `host` and `domain` keep to those of the page, `any` goes anywhere. Default: db.ignore.external.links and db.ignore.external.links.mode.',
    enum: crawlScopes,
    example: 'host',
  })
  @IsOptional()
  @IsIn(crawlScopes)
  scope?: CrawlScope;

  @Described({
    description: 'Pages that fall due within so many days are due now; each is visited once.',
    example: 0,
  })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(0)
  @Max(36_500)
  adddays?: number;

  @Described({ description: 'Requests under way at once. Default: fetcher.threads.fetch.', example: 10 })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(1_000)
  threads?: number;

  @Described({
    description: 'Run SITEMAP before the first round: the sitemaps of the hosts of the crawl.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  sitemaps?: boolean;

  @Described({ description: 'Run INVERTLINKS in each round.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  invertLinks?: boolean;

  @Described({ description: 'Run DEDUP in each round.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  dedup?: boolean;

  @Described({ description: 'Index what was fetched. Only `false` is offered yet.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  @IsIn([false], { message: 'index must be false: this server has no indexing job yet' })
  index?: boolean;
}

/** The properties that the arguments stand for, to be laid over the configuration. */
export const propertiesOf = ({ scope }: CrawlArgs): Record<string, string> => (scope ? scopeProperties[scope] : {});
