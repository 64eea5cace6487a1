import type { CounterGroups, JobType } from './job-types.js';

/**
 * The counters of a job that clients read first, by type. They start at 0, so a job that found no work has them too.
 * FETCH has no zeros for visits: a group of these means that pages of a batch were visited (crawl-visits.ts).
 */
const BASE: Record<JobType, CounterGroups> = {
  INJECT: { injector: { urls_injected: 0, urls_filtered: 0 } },
  GENERATE: { Generator: { GENERATE_MARK: 0 } },
  FETCH: { Fetcher: { selected: 0, bytes_downloaded: 0 } },
  PARSE: { ParserStatus: { success: 0, failed: 0 } },
  UPDATEDB: { UpdateDb: { urls_added: 0 } },
  INVERTLINKS: { LinkDb: { pages: 0, links: 0, inlinks_added: 0 } },
  DEDUP: { DeduplicationJobStatus: { 'Documents marked as duplicate': 0 } },
  INDEX: { IndexerJob: { DocumentCount: 0 } },
  CLEAN: { CleaningJobStatus: { 'Deleted documents': 0 } },
  MERGESEGS: { SegmentMerger: { merged: 0 } },
  SITEMAP: { Sitemap: { known_sitemaps: 0, new_sitemap_entries: 0 } },
  HOSTDB: { UpdateHostDb: { total_hosts: 0 } },
  WEBGRAPH: { WebGraph: { nodes: 0 } },
  LINKRANK: { LinkRank: { nodes: 0 } },
  SCOREUPDATE: { ScoreUpdater: { updated: 0 } },
  PAGERANK: { PageRank: { nodes: 0 } },
  HITS: { Hits: { nodes: 0 } },
  READDB: { WebTable: { pages: 0 } },
  CRAWL: { Generator: { GENERATE_MARK: 0 } },
  DROPCRAWL: { DropCrawl: { webpage: 0 } },
};

/** The counters of an ended job; if it has none at all, the zeros of its type. */
export const withBase = (type: JobType, counters: CounterGroups): CounterGroups =>
  Object.keys(counters).length > 0 ? counters : BASE[type];
