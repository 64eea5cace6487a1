/** A CRAWL as the functions that decide on its steps see it: its plan, and what its children have done so far. */
import type { FailureCode } from './failure-codes.js';
import type { JobState } from './job-states.js';
import type { StepType } from './job-row.js';

/** What the steps of a crawl depend on, fixed when it is created: its arguments, and what its configuration adds to them. */
export interface CrawlPlan {
  /** Null: no seeds; the crawl goes on with the pages there are. */
  seedName: string | null;
  /** SITEMAP goes before the first round. */
  sitemaps?: boolean;
  /** Rounds at most; null: no limit. */
  rounds: number | null;
  /** Pages a round at most: the argument `topN`, else `generate.topN`; null: no limit. */
  topN: number | null;
  /** Pages visited over all rounds at most; null: no limit. */
  limit: number | null;
  /** The batches that a crawl which is run again left open: they are brought in before anything else. */
  leftBatch?: string | string[] | null;
  /** Days added to the clock that says which pages are due. */
  adddays: number;
  /** Requests under way at once; null: fetcher.threads.fetch. */
  threads: number | null;
  invertLinks: boolean;
  /** Pages are ranked by their links. */
  ranks?: boolean;
  dedup: boolean;
  /** INDEX and CLEAN end each round. */
  index?: boolean;
  /** FETCH parses too (`crawl.parse.while.fetching`), so there is no PARSE. */
  parsesWhileFetching: boolean;
  /** One FETCH goes on while others bring in what it has fetched and generate its next batches; else strict rounds. */
  continuous?: boolean;
}

/** A child, as far as it matters for what comes next. */
export interface Child {
  id: string;
  type: StepType;
  round: number;
  state: JobState;
  msg: string;
  /** Of a GENERATE: the batch that it made, and its size. */
  batch: string | null;
  selected: number;
  /** Of a FETCH: its counters FetcherStatus, what became of the pages of its batch. */
  visits: Record<string, number> | null;
  /** Of a FETCH that parses: pages that it left for PARSE, as it was stopped. */
  unparsed?: number;
  /** Of a GENERATE: its counters Generator, due pages that it left out among them. */
  generated?: Record<string, number> | null;
  /** Why it ended; null while it has not. */
  reason: string | null;
  /** Of one that failed: why, for programs. */
  failure?: FailureCode | null;
  /** Of an UPDATEDB: FETCH went on meanwhile, so batches stay open. */
  keepsOpen?: boolean;
  /** When it was made and when it ended, by the database's clock. */
  createdAt?: Date;
  endedAt?: Date | null;
  /** Of a FETCH that goes on: since when one of its tasks has little left to fetch, and since when all of them have nothing. */
  lowSince?: Date | null;
  drySince?: Date | null;
  /** Of a FETCH: no further batch comes to it. */
  closed?: boolean;
}

export type CrawlStep =
  | { kind: 'wait' }
  | { kind: 'child'; type: StepType; round: number; args: Record<string, unknown> }
  /** The FETCH gets no further batches, or is asked to stop. */
  | { kind: 'close' | 'stop'; job: string }
  | End;

export interface End {
  kind: 'end';
  state: 'FINISHED' | 'FAILED' | 'KILLED';
  reason: string;
  msg: string;
  rounds: number;
  /** Of FAILED: why, for programs. */
  failure?: FailureCode;
}

/** The crawl whose next step is asked for. `children`: oldest first. */
export interface CrawlSoFar {
  plan: CrawlPlan;
  /** By the database's clock, as the history of visits. */
  createdAt: Date;
  state: JobState;
  children: readonly Child[];
}
