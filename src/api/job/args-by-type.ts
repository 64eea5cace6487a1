import { ApiPropertyOptional } from '@nestjs/swagger';
import type { ClassConstructor } from 'class-transformer';
import { CleanArgs } from '../../cycle/clean/clean.args.js';
import { CrawlArgs } from '../../cycle/crawl/crawl.args.js';
import { DedupArgs } from '../../cycle/dedup/dedup.args.js';
import { describedArgs } from '../../cycle/arg-description.js';
import { DropCrawlArgs } from '../../cycle/dropcrawl/dropcrawl.args.js';
import { FetchArgs } from '../../cycle/fetch/fetch.args.js';
import { GenerateArgs } from '../../cycle/generate/generate.args.js';
import { HostDbArgs } from '../../cycle/hostdb/hostdb.args.js';
import { IndexArgs } from '../../cycle/index/index.args.js';
import { InjectArgs } from '../../cycle/inject/inject.args.js';
import { InvertLinksArgs } from '../../cycle/invertlinks/invertlinks.args.js';
import { MergeSegsArgs } from '../../cycle/mergesegs/mergesegs.args.js';
import { ParseArgs } from '../../cycle/parse/parse.args.js';
import { ReadDbArgs } from '../../cycle/readdb/readdb.args.js';
import { SitemapArgs } from '../../cycle/sitemap/sitemap.args.js';
import { UpdateDbArgs } from '../../cycle/updatedb/updatedb.args.js';
import {
  HitsArgs,
  LinkRankArgs,
  PageRankArgs,
  ScoreUpdateArgs,
  WebGraphArgs,
} from '../../cycle/webgraph/webgraph.args.js';
import type { JobType } from '../../core/job/job-types.js';

/** The arguments of each type of job. The API does not load the steps themselves: only workers do. */
export const argsByType = {
  INJECT: InjectArgs,
  GENERATE: GenerateArgs,
  FETCH: FetchArgs,
  PARSE: ParseArgs,
  UPDATEDB: UpdateDbArgs,
  INVERTLINKS: InvertLinksArgs,
  DEDUP: DedupArgs,
  INDEX: IndexArgs,
  CLEAN: CleanArgs,
  MERGESEGS: MergeSegsArgs,
  SITEMAP: SitemapArgs,
  HOSTDB: HostDbArgs,
  WEBGRAPH: WebGraphArgs,
  LINKRANK: LinkRankArgs,
  SCOREUPDATE: ScoreUpdateArgs,
  PAGERANK: PageRankArgs,
  HITS: HitsArgs,
  READDB: ReadDbArgs,
  CRAWL: CrawlArgs,
  DROPCRAWL: DropCrawlArgs,
} satisfies Record<JobType, ClassConstructor<object>> as Record<JobType, ClassConstructor<object>>;

for (const { prototype, name, description } of describedArgs) ApiPropertyOptional(description)(prototype, name);
