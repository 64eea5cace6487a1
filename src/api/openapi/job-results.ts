/**
 * The contents of the result of each type of job, for the OpenAPI document: the reasons for its end, the groups of its
 * counters, and further fields. `test/api/openapi-examples.spec.ts` compares the results of jobs with this table.
 */
import type { OpenAPIObject } from '@nestjs/swagger';
import { failureCodes } from '../../core/job/failure-codes.js';
import type { JobType } from '../../core/job/job-types.js';

type SchemaOrReference = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
export type Schema = Exclude<SchemaOrReference, { $ref: string }>;

export interface ResultShape {
  reasons: readonly string[];
  counters: Readonly<Record<string, string>>;
  extra?: Readonly<Record<string, Schema>>;
}

/** The failure code of a job of any type: failure-codes.ts. */
export const failureSchema: Schema = {
  type: 'string',
  enum: [...failureCodes],
  description: 'Only of a failed job: a stable code of the reason. `cure` says what to do.',
};

/** The warnings of a job of any type, if it has any. */
export const warningsSchema: Schema = {
  type: 'array',
  items: { type: 'string' },
  description: 'What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made.',
};

const ANY_JOB = ['done', 'stopped', 'failed'] as const;
const BATCH_JOB = [...ANY_JOB, 'no-urls'] as const;

const INJECT = {
  injector: 'Seed lines by result.',
  injector_merge: 'New seeds, and known ones by what was done with them.',
  injector_status: 'Pages injected, by status.',
  injector_rejected: 'Seed lines that were left out, by reason.',
};
const GENERATE = { Generator: 'Pages by result: selected, or why not.' };
const FETCH = {
  Fetcher: 'Pages selected, bytes read.',
  FetcherStatus: 'Pages by the outcome of their visit, or why there was none.',
  FetcherFailures: 'Failed pages by the reason that the status of the page has (`HTTP 503`), if a request failed.',
};
const PARSE = {
  ParserStatus: 'Pages by the outcome of parsing.',
  ParserOutlinks: 'Links kept.',
  ParserOutlinksDropped: 'Links not kept, by reason.',
  ParserTraps: 'Links not kept, by the rule against traps.',
};
const UPDATEDB = { UpdateDb: 'Pages by their new status; URLs added; links refused, by reason; inlinks removed.' };
const INVERTLINKS = { LinkDb: 'Pages read, links found, inlinks added, changed, removed and dropped.' };
const DEDUP = { DeduplicationJobStatus: 'Pages marked as duplicates, and pages whose mark was removed.' };
const NODES = 'Pages of the link graph, and those whose values changed.';
const WEBGRAPH = { WebGraph: NODES };
const LINKRANK = { LinkRank: NODES };
const SCOREUPDATE = {
  ScoreUpdater:
    'Pages whose score was set to their link rank, or to `link.score.updater.clear.score` because they have none.',
};
const INDEX = {
  IndexerJob: 'Documents that were written (2.x), and those of which a writer accepted only a part.',
  IndexerStatus: 'Pages by result (1.x).',
};
const CLEAN = { CleaningJobStatus: 'Documents that were deleted, by the status of their pages.' };
const SITEMAP = {
  Sitemap: 'Sitemaps and their entries, by result.',
  SitemapStatus: 'Requests by result.',
  SitemapErrors: 'Sitemaps that could not be read, by reason.',
  sitemap_rejected: 'Entries that were left out, by reason (`host-budget`: `trap.host.pages`).',
};

export const resultShapes: Record<JobType, ResultShape> = {
  INJECT: { reasons: ANY_JOB, counters: INJECT },
  GENERATE: {
    reasons: BATCH_JOB,
    counters: GENERATE,
    extra: {
      'generate.batch.id': {
        type: 'string',
        nullable: true,
        description: 'The batch that was created, or the first of several; null when nothing was due.',
      },
      'generate.count': { type: 'integer', description: 'Number of pages in all batches.' },
      'generate.segment': { type: 'string', nullable: true, description: 'Its segment name (1.x).' },
      'generate.batch.ids': {
        type: 'array',
        items: { type: 'string' },
        description: 'All batches, if there are several.',
      },
      'generate.segments': {
        type: 'array',
        items: { type: 'string' },
        description: 'Their segment names, in the same order.',
      },
    },
  },
  FETCH: { reasons: [...BATCH_JOB, 'time-limit', 'throughput-limit'], counters: { ...FETCH, ...PARSE } },
  PARSE: { reasons: BATCH_JOB, counters: PARSE },
  UPDATEDB: { reasons: BATCH_JOB, counters: UPDATEDB },
  INVERTLINKS: { reasons: BATCH_JOB, counters: INVERTLINKS },
  DEDUP: { reasons: ANY_JOB, counters: DEDUP },
  INDEX: { reasons: ANY_JOB, counters: INDEX },
  CLEAN: { reasons: ANY_JOB, counters: CLEAN },
  MERGESEGS: {
    reasons: BATCH_JOB,
    counters: { SegmentMerger: 'Pages that were merged, and those that stay in their segments, by reason.' },
    extra: {
      'merge.batch.ids': {
        type: 'array',
        items: { type: 'string' },
        description: 'The batches that were created: several with `slice`.',
      },
      'merge.segments': {
        type: 'array',
        items: { type: 'string' },
        description: 'Their segment names, in the same order.',
      },
    },
  },
  SITEMAP: { reasons: ANY_JOB, counters: SITEMAP },
  HOSTDB: {
    reasons: ANY_JOB,
    counters: { UpdateHostDb: 'Hosts by result; names that were resolved.' },
  },
  WEBGRAPH: { reasons: ANY_JOB, counters: WEBGRAPH },
  LINKRANK: { reasons: ANY_JOB, counters: LINKRANK },
  SCOREUPDATE: {
    reasons: [...ANY_JOB, 'no-ranks'],
    counters: SCOREUPDATE,
  },
  PAGERANK: { reasons: ANY_JOB, counters: { PageRank: NODES } },
  HITS: { reasons: ANY_JOB, counters: { Hits: NODES } },
  READDB: {
    reasons: ANY_JOB,
    counters: { WebTable: 'Pages of the statistics.' },
    extra: {
      stats: {
        type: 'object',
        additionalProperties: true,
        description: 'The statistics of the crawl, as POST /db/crawldb returns them for `stats`.',
      },
    },
  },
  DROPCRAWL: {
    reasons: ANY_JOB,
    counters: { DropCrawl: 'Rows that were deleted, by table.' },
    extra: { pages: { type: 'integer', description: 'Number of pages that the crawl had.' } },
  },
  CRAWL: {
    reasons: [...ANY_JOB, 'rounds', 'limit', 'nothing-fetched', 'hosts-left-alone'],
    counters: {
      ...INJECT,
      ...GENERATE,
      ...FETCH,
      ...PARSE,
      ...UPDATEDB,
      ...INVERTLINKS,
      ...DEDUP,
      ...SITEMAP,
      ...INDEX,
      ...CLEAN,
      ...WEBGRAPH,
      ...LINKRANK,
      ...SCOREUPDATE,
    },
    extra: { rounds: { type: 'integer', description: 'Number of rounds that had pages.' } },
  },
};
