/** A CRAWL as seen by the functions that choose its next step: its plan, and what its children have done so far. */
import type { FailureCode } from './failure-codes.js';
import type { JobState } from './job-states.js';
import type { StepType } from './job-types.js';

/** What the steps of a crawl depend on, fixed when it is created: its arguments, and what its configuration adds to them. */
export interface CrawlPlan {
  /** Null: no seeds; the crawl continues with its existing pages. */
  seedName: string | null;
  /** SITEMAP runs before the first round. */
  sitemaps?: boolean;
  /** Maximum number of rounds; null: no limit. */
  rounds: number | null;
  /** Maximum number of pages in a round: the argument `topN`, else `generate.topN`; null: no limit. */
  topN: number | null;
  /** Maximum number of pages visited in all rounds; null: no limit. */
  limit: number | null;
  /**
   * The batches that earlier runs of this crawl left open: they are updated before anything else. Two of them at most, as
   * thousands may be open: if there is more than one, UPDATEDB finds all.
   */
  leftBatches?: string[];
  /** Earlier runs have recorded pages for INDEX that it has not taken, or have left batches open in which there are some. */
  documentsDue?: boolean;
  /** Days added to the clock that decides which pages are due. */
  adddays: number;
  /** Concurrent requests; null: fetcher.threads.fetch. */
  threads: number | null;
  invertLinks: boolean;
  /** Pages are ranked by their links. */
  ranks?: boolean;
  dedup: boolean;
  /** INDEX and CLEAN end each strict round; in a continuous crawl they run beside FETCH, as DEDUP does, and at the end. */
  index?: boolean;
  /** FETCH parses too (`crawl.parse.while.fetching`), so there is no PARSE. */
  parsesWhileFetching: boolean;
  /** One FETCH runs while other steps update the pages it has fetched and generate its next batches; else strict rounds. */
  continuous?: boolean;
}

/** What the choice of the next step needs to know of a child. */
export interface Child {
  id: string;
  type: StepType;
  round: number;
  state: JobState;
  msg: string;
  /** Of a GENERATE: the batch that it made, and its size. */
  batch: string | null;
  selected: number;
  /** How many batches with pages it made; more than one if it stands for several (job/crawl-children.sql.ts). */
  selections: number;
  /** Of a FETCH: its counters FetcherStatus, the results for the pages of its batch. */
  visits: Record<string, number> | null;
  /** Of a FETCH that parses: pages left for PARSE because it was stopped. */
  unparsed?: number;
  /** Of a GENERATE: its counters Generator, including due pages that it left out. */
  generated?: Record<string, number> | null;
  /** Why it ended; null while it has not. */
  reason: string | null;
  /** Of a failed child: the reason as a code. */
  failure?: FailureCode | null;
  /** Of an UPDATEDB: it ran while FETCH was running, so batches stay open. */
  keepsOpen?: boolean;
  /** When it was created and when it ended, by the database's clock. */
  createdAt?: Date;
  endedAt?: Date | null;
  /** Of a running FETCH: since when one of its tasks has little left to fetch, and since when none of them has anything. */
  lowSince?: Date | null;
  drySince?: Date | null;
  /** Of a FETCH: it receives no further batch. */
  closed?: boolean;
}

export type CrawlStep =
  | { kind: 'wait' }
  /** `after`: it counts as created then, or later. */
  | { kind: 'child'; type: StepType; round: number; args: Record<string, unknown>; after?: Date }
  /** The FETCH gets no further batches, or is asked to stop. */
  | { kind: 'close' | 'stop'; job: string }
  | End;

export interface End {
  kind: 'end';
  state: 'FINISHED' | 'FAILED' | 'KILLED';
  reason: string;
  msg: string;
  rounds: number;
  /** Of FAILED: the reason as a code. */
  failure?: FailureCode;
}

/** The crawl whose next step is computed. `children`: oldest first. */
export interface CrawlSoFar {
  plan: CrawlPlan;
  /** By the database's clock, like the fetch history. */
  createdAt: Date;
  now: Date;
  state: JobState;
  children: readonly Child[];
  /** A step beside the rounds has failed, or a user has killed it. */
  broken?: Child | undefined;
}
