/** The list of the crawl cycle: the arguments and the class of each job type. A missing step does not compile. */
import { Module, type Type } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import type { StepType } from '../core/job/job-types.js';
import { CleanArgs } from './clean/clean.args.js';
import { CleanJob } from './clean/clean.job.js';
import { DropCrawlArgs } from './dropcrawl/dropcrawl.args.js';
import { DropCrawlJob } from './dropcrawl/dropcrawl.job.js';
import { DedupArgs } from './dedup/dedup.args.js';
import { DedupJob } from './dedup/dedup.job.js';
import { FetchArgs } from './fetch/fetch.args.js';
import { FetchJob } from './fetch/fetch.job.js';
import { GenerateArgs } from './generate/generate.args.js';
import { GenerateJob } from './generate/generate.job.js';
import { HostDbArgs } from './hostdb/hostdb.args.js';
import { HostDbJob } from './hostdb/hostdb.job.js';
import { IndexArgs } from './index/index.args.js';
import { IndexJob } from './index/index.job.js';
import { InjectArgs } from './inject/inject.args.js';
import { InjectJob } from './inject/inject.job.js';
import { InvertLinksArgs } from './invertlinks/invertlinks.args.js';
import { InvertLinksJob } from './invertlinks/invertlinks.job.js';
import { MergeSegsArgs } from './mergesegs/mergesegs.args.js';
import { MergeSegsJob } from './mergesegs/mergesegs.job.js';
import { ParseArgs } from './parse/parse.args.js';
import { ParseJob } from './parse/parse.job.js';
import { ReadDbArgs } from './readdb/readdb.args.js';
import { ReadDbJob } from './readdb/readdb.job.js';
import { SitemapArgs } from './sitemap/sitemap.args.js';
import { SitemapJob } from './sitemap/sitemap.job.js';
import type { Step } from './step.js';
import { HitsJob } from './webgraph/hits.job.js';
import { LinkRankJob } from './webgraph/linkrank.job.js';
import { PageRankJob } from './webgraph/pagerank.job.js';
import { ScoreUpdateJob } from './webgraph/scoreupdate.job.js';
import { HitsArgs, LinkRankArgs, PageRankArgs, ScoreUpdateArgs, WebGraphArgs } from './webgraph/webgraph.args.js';
import { WebGraphJob } from './webgraph/webgraph.job.js';
import { UpdateDbArgs } from './updatedb/updatedb.args.js';
import { UpdateDbJob } from './updatedb/updatedb.job.js';

export interface StepEntry {
  args: ClassConstructor<object>;
  job: Type<Step<object>>;
}

export const steps = {
  INJECT: { args: InjectArgs, job: InjectJob },
  GENERATE: { args: GenerateArgs, job: GenerateJob },
  FETCH: { args: FetchArgs, job: FetchJob },
  PARSE: { args: ParseArgs, job: ParseJob },
  UPDATEDB: { args: UpdateDbArgs, job: UpdateDbJob },
  INVERTLINKS: { args: InvertLinksArgs, job: InvertLinksJob },
  DEDUP: { args: DedupArgs, job: DedupJob },
  INDEX: { args: IndexArgs, job: IndexJob },
  CLEAN: { args: CleanArgs, job: CleanJob },
  MERGESEGS: { args: MergeSegsArgs, job: MergeSegsJob },
  SITEMAP: { args: SitemapArgs, job: SitemapJob },
  HOSTDB: { args: HostDbArgs, job: HostDbJob },
  WEBGRAPH: { args: WebGraphArgs, job: WebGraphJob },
  LINKRANK: { args: LinkRankArgs, job: LinkRankJob },
  SCOREUPDATE: { args: ScoreUpdateArgs, job: ScoreUpdateJob },
  PAGERANK: { args: PageRankArgs, job: PageRankJob },
  HITS: { args: HitsArgs, job: HitsJob },
  READDB: { args: ReadDbArgs, job: ReadDbJob },
  DROPCRAWL: { args: DropCrawlArgs, job: DropCrawlJob },
} satisfies Record<StepType, StepEntry> as Record<StepType, StepEntry>;

export type StepOf = (type: StepType) => Step<object>;

/** All steps of the list, as Nest providers. */
@Module({ providers: Object.values(steps).map(({ job }) => job) })
export class CycleModule {}
