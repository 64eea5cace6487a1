import { IsIn, IsOptional } from 'class-validator';
import { FlagArg, NumberArg, SeedLinesArg, SeedListName, SkipInvalid } from '../arg-kinds.js';
import { Described } from '../arg-description.js';

/** How far a crawl may leave the hosts of its pages: `db.ignore.external.links` and its mode, as one word. */
export const crawlScopes = ['host', 'domain', 'any'] as const;
export type CrawlScope = (typeof crawlScopes)[number];

const scopeProperties: Record<CrawlScope, Record<string, string>> = {
  host: { 'db.ignore.external.links': 'true', 'db.ignore.external.links.mode': 'byHost' },
  domain: { 'db.ignore.external.links': 'true', 'db.ignore.external.links.mode': 'byDomain' },
  any: { 'db.ignore.external.links': 'false' },
};

/**
 * Arguments of CRAWL: whole rounds until nothing is due or a limit is reached. Without seeds it continues with the existing
 * pages.
 */
export class CrawlArgs {
  @SeedListName('Name of a stored seed list that the crawl begins with.', 'docs')
  seedName?: string;

  @SeedListName('`seedName` of 1.x clients: the response of POST /seed/create.', 'seedFiles/seed-docs')
  url_dir?: string;

  @SeedListName('`seedName` of 2.x clients: the response of POST /seed/create.', 'seedFiles/seed-docs')
  seedDir?: string;

  @SeedLinesArg(
    'The seeds themselves, one URL a line; they are stored as a seed list. Not beside `seedName`, `url_dir` or `seedDir`.',
  )
  seed?: string;

  @SkipInvalid()
  skipInvalid?: boolean;

  @NumberArg('Rounds at most. Default: until nothing is due.', { min: 1, max: 10_000, example: 3 })
  rounds?: number;

  @NumberArg('Pages a round at most. Default: generate.topN.', { min: 1, max: 1_000_000_000, example: 1_000 })
  topN?: number;

  @NumberArg(
    'Pages over all rounds at most; targets of redirects that FETCH follows immediately count too, and may exceed it. Default: no limit.',
    { min: 1, max: 1_000_000_000_000, example: 10_000 },
  )
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

  @NumberArg('Pages that fall due within so many days are due now; each is visited once.', {
    min: 0,
    max: 36_500,
    example: 0,
  })
  adddays?: number;

  @NumberArg('Requests under way at once. Default: fetcher.threads.fetch.', { min: 1, max: 1_000, example: 10 })
  threads?: number;

  @FlagArg('Run SITEMAP before the first round: the sitemaps of the hosts of the crawl.')
  sitemaps?: boolean;

  @FlagArg('Run INVERTLINKS: in each round where rounds are strict, else for all pages at the end of the crawl.')
  invertLinks?: boolean;

  @FlagArg(
    'Run DEDUP every few seconds while FETCH goes on and once at the end; where rounds are strict, in each round.',
  )
  dedup?: boolean;

  @FlagArg(
    'Rank pages by their links: INVERTLINKS, WEBGRAPH, LINKRANK and SCOREUPDATE in each round where rounds are strict, else at the end of the crawl.',
  )
  ranks?: boolean;

  @FlagArg(
    'Index what was fetched: INDEX, and after it CLEAN, every few seconds while FETCH goes on and once at the end; where rounds are strict, in each round.',
  )
  index?: boolean;
}

/** The properties that the arguments set on top of the configuration. */
export const propertiesOf = ({ scope }: CrawlArgs): Record<string, string> => (scope ? scopeProperties[scope] : {});
