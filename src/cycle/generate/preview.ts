/**
 * What GENERATE would select now: the same selection in a read-only transaction of bounded duration. Pages that have
 * become due and are not yet promoted are sorted in, as nothing may be written here.
 */
import type { Pool } from 'pg';
import type { Conf } from '../../core/conf/properties.js';
import { type Sql, databaseNow, transaction } from '../../db/sql.js';
import { hasSqlState } from '../../db/sql-state.js';
import type { GenerateArgs } from './generate.args.js';
import { type Candidate, countOthers, hasUnpromoted, onlyRead, skipCandidates } from './candidates.sql.js';
import { type SelectionOutcome, Selection, type SelectionQuery, beyondOf, selectionTime } from './selection.js';

/** Maximum number of pages counted under TOP_N, NOT_DUE and IN_BATCH. */
export const MAX_COUNTED = 100_000;

export interface PreviewQuery {
  crawl: number;
  conf: Conf;
  args: GenerateArgs;
  /** Milliseconds for the selection; PostgreSQL cancels each statement after the same time. */
  timeout: number;
}

export interface Preview {
  /** Pages that would be selected. */
  count: number;
  /** Pages by reversed host, in order of their first page. */
  byHost: Map<string, number>;
  /** Pages left out, by the name of GENERATE's counter; TOP_N: not processed, as the batch was full. */
  leftOut: Record<string, number>;
  /** Row keys of the first pages, best first. */
  first: string[];
  /** False if the time was over before the batch was full or all candidates were read. */
  complete: boolean;
  /** Why the batch is smaller than topN although more pages are due, or null. */
  warning: string | null;
}

/** Runs the selection and counts. Rejects with QUERY_CANCELED when one statement takes too long. */
export function previewBatch(pool: Pool, query: PreviewQuery, sampled: number): Promise<Preview> {
  return reading(pool, query, async (tx, q) => {
    const preview: Preview = { count: 0, byHost: new Map(), leftOut: {}, first: [], complete: true, warning: null };
    const leave = (reason: string, n = 1): void => {
      if (n > 0) preview.leftOut[reason] = (preview.leftOut[reason] ?? 0) + n;
    };
    const isLate = deadline(query.timeout);
    const selection = new Selection(tx, q, {
      ...nothingTaken,
      seen({ host, key }, outcome) {
        if (outcome !== 'SELECTED') return leave(outcome);
        preview.count++;
        preview.byHost.set(host, (preview.byHost.get(host) ?? 0) + 1);
        if (preview.first.length < sampled) preview.first.push(key);
      },
      enough: isLate,
    });
    await selection.fill();
    const complete = !isLate();
    leave('TOP_N', selection.unseen + (await skipCandidates(tx, MAX_COUNTED)));
    const { now, args, conf } = q;
    const when = { curTime: selectionTime(args, now), beyond: beyondOf(conf, now), max: MAX_COUNTED };
    const { waiting, inBatch } = await countOthers(tx, q.crawl, when);
    leave('NOT_DUE', waiting);
    leave('IN_BATCH', inBatch);
    return { ...preview, complete, warning: selection.shortBatch() };
  });
}

/** What the selection would do with one page. */
export interface BatchPosition {
  /** TOP_N: the batch is full before it. LATE: the time was over before it. Null: it is no candidate any more. */
  outcome: SelectionOutcome | 'TOP_N' | 'LATE' | null;
  /** Pages selected before it, in total and of its host (or domain, or address). */
  before: number;
  ofGroup: number;
}

/** The position of a page in the next batch. Ends at the page. */
export function batchPosition(
  pool: Pool,
  query: PreviewQuery,
  page: { host: string; key: string },
): Promise<BatchPosition> {
  return reading(pool, query, async (tx, q) => {
    const position: BatchPosition = { outcome: null, before: 0, ofGroup: 0 };
    const groups = new Map<string, number>();
    const isLate = deadline(query.timeout);
    const selection = new Selection(tx, q, {
      ...nothingTaken,
      seen(candidate: Candidate, outcome) {
        if (candidate.key === page.key) position.outcome = outcome;
        if (outcome !== 'SELECTED' || candidate.key === page.key) return;
        position.before++;
        const group = selection.countKey(candidate);
        groups.set(group, (groups.get(group) ?? 0) + 1);
      },
      enough: () => position.outcome !== null || isLate(),
    });
    await selection.fill();
    if (position.outcome === null) position.outcome = unreached(selection, page, isLate());
    return { ...position, ofGroup: groups.get(selection.countKey(page)) ?? 0 };
  }).catch((error: unknown) => {
    if (!hasSqlState(error, 'QUERY_CANCELED')) throw error;
    return { outcome: 'LATE', before: 0, ofGroup: 0 };
  });
}

/** Why the selection ended without the page: it does not read all pages of a host that is full. */
function unreached(
  selection: Selection,
  page: { host: string; key: string },
  isLate: boolean,
): BatchPosition['outcome'] {
  if (selection.full) return 'TOP_N';
  if (selection.isFull(page)) return 'HOST_LIMIT';
  return isLate ? 'LATE' : null;
}

const nothingTaken = {
  take: () => Promise.resolve([]),
  early: () => Promise.resolve(),
};

function deadline(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() > end;
}

/** Runs `work` in a read-only transaction. */
function reading<T>(
  pool: Pool,
  { crawl, conf, args, timeout }: PreviewQuery,
  work: (tx: Sql, query: SelectionQuery & { unpromoted: boolean }) => Promise<T>,
): Promise<T> {
  return transaction(pool, async (tx) => {
    await onlyRead(tx, timeout);
    const now = await databaseNow(tx);
    const unpromoted = await hasUnpromoted(tx, crawl, { now, beyond: beyondOf(conf, now) });
    return work(tx, { crawl, conf, args, now, unpromoted });
  });
}
