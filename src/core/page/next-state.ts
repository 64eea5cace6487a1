/**
 * The pure part of UPDATEDB: computes the next state of a page of the batch.
 *
 * FETCH stored a status and the time of the visit, PARSE a signature. From these and the stored state follow the new
 * status, the next fetch time and the retry count (Nutch 1.x `CrawlDbReducer`), which the schedules raise (`../schedule/`).
 */
import type { FetchSchedule, ModifiedState, PageTiming, VisitedPage } from '../schedule/fetch-schedule.js';
import { timingOf } from '../schedule/fetch-schedule.js';
import { PAGE_STATUS, type PageStatus } from './page-status.js';

/** A page of the batch after FETCH and PARSE. Times in ms, intervals in seconds, signatures in hex. */
export interface PageState extends VisitedPage {
  readonly status: number;
  /** When it was fetched. */
  readonly fetchTime: number;
  /** When the fetch was due. */
  readonly prevFetchTime: number;
  readonly fetchInterval: number;
  readonly retries: number;
  readonly modifiedTime: number;
  readonly prevModifiedTime: number;
  readonly signature: string | null;
  readonly prevSignature: string | null;
  /** `Last-Modified` of the answer; null without one. */
  readonly lastModified: number | null;
  /** PARSE could not read the content. */
  readonly parseFailed: boolean;
  /**
   * It was not requested (protocol status RETRY): its robots.txt was unreachable, its host had failed too often, or the proxy
   * does not work.
   */
  readonly unasked?: boolean;
  /** The status that its last visit had, if that is known: INJECT may have set another one since. */
  readonly visited?: PageStatus | undefined;
}

export interface NextState {
  readonly status: PageStatus;
  readonly fetchTime: number;
  readonly prevFetchTime: number;
  readonly fetchInterval: number;
  readonly retries: number;
  readonly modifiedTime: number;
  readonly prevModifiedTime: number;
  /**
   * The interval exceeded `db.fetch.interval.max`: the next fetch must be unconditional, so the caller clears signature,
   * ETag and Last-Modified of the page.
   */
  readonly unconditional: boolean;
}

export interface NextStateProps {
  /** Retries in a row after which a page counts as gone. */
  readonly 'db.fetch.retry.max': number;
  /** Seconds. */
  readonly 'db.fetch.interval.max': number;
}

const REDIRECTS: ReadonlySet<number> = new Set([PAGE_STATUS.redirTemp, PAGE_STATUS.redirPerm]);

/** Statuses that no visit has: those of a page of the batch were set meanwhile, by hand or by another step. */
const SET_MEANWHILE: ReadonlySet<number> = new Set([
  PAGE_STATUS.unfetched,
  PAGE_STATUS.duplicate,
  PAGE_STATUS.orphan,
  PAGE_STATUS.parseFailed,
]);

/**
 * The state of a page of the batch after UPDATEDB. Any status that is not final counts as a retry. One that was set meanwhile
 * stays, and the visit decides all else.
 */
export function nextState(state: PageState, schedule: FetchSchedule, props: NextStateProps): NextState {
  const { visited, ...current } = state;
  if (visited !== undefined && SET_MEANWHILE.has(state.status)) {
    return { ...nextState({ ...current, status: visited }, schedule, props), status: state.status as PageStatus };
  }
  if (state.status === PAGE_STATUS.gone) return stateWith(state, PAGE_STATUS.gone, schedule.afterGone(state));
  if (state.status === PAGE_STATUS.fetched && state.parseFailed) {
    return stateWith(state, PAGE_STATUS.parseFailed, schedule.afterGone(state));
  }
  const answered =
    state.status === PAGE_STATUS.fetched || state.status === PAGE_STATUS.notModified || REDIRECTS.has(state.status);
  return answered ? afterAnswer(state, schedule, props) : afterRetry(state, schedule, props);
}

/** Fetched, redirected or not modified: the schedule decides; an interval beyond the maximum forces a full fetch. */
function afterAnswer(state: PageState, schedule: FetchSchedule, props: NextStateProps): NextState {
  const modified = modifiedState(state);
  const dated = withLastModified(state);
  const timing = schedule.afterFetch(dated, modified);
  if (timing.fetchInterval > props['db.fetch.interval.max']) {
    // A redirect stays one (unfetched in Nutch): by its status CLEAN finds the document that the page had.
    const status = REDIRECTS.has(state.status) ? (state.status as PageStatus) : PAGE_STATUS.unfetched;
    const forced = stateWith(dated, status, schedule.forceRefetch(timing));
    // Nutch keeps the fetch time of the longer interval: it exceeds the maximum, so GENERATE would select the page at once.
    const fetchTime = Math.min(forced.fetchTime, state.fetchTime + forced.fetchInterval * 1000);
    return { ...forced, fetchTime, unconditional: true };
  }
  const status = modified === 'notmodified' ? PAGE_STATUS.notModified : (state.status as PageStatus);
  return stateWith(dated, status, timing);
}

/**
 * Due a day later (or after the maximum interval), one more retry; gone after `db.fetch.retry.max`. A page that was not
 * requested counts no retry.
 */
function afterRetry(state: PageState, schedule: FetchSchedule, props: NextStateProps): NextState {
  const timing = schedule.afterRetry(state);
  if (state.unasked) return stateWith(state, PAGE_STATUS.unfetched, { ...timing, retries: state.retries });
  if (timing.retries < props['db.fetch.retry.max']) return stateWith(state, PAGE_STATUS.unfetched, timing);
  const gone = schedule.afterGone(state);
  return stateWith(state, PAGE_STATUS.gone, { ...gone, retries: timing.retries });
}

/** A 304 means not modified; content is compared by signature; a redirect has no content to compare. */
export function modifiedState(state: PageState): ModifiedState {
  if (state.status === PAGE_STATUS.notModified) return 'notmodified';
  if (state.status !== PAGE_STATUS.fetched || !state.signature || !state.prevSignature) return 'unknown';
  return state.signature === state.prevSignature ? 'notmodified' : 'modified';
}

/** A `Last-Modified` in the future is a mistake of the server and is ignored. */
function withLastModified(state: PageState): PageState {
  const { lastModified } = state;
  if (lastModified === null || lastModified <= 0 || lastModified > state.fetchTime) return state;
  return { ...state, modifiedTime: lastModified, prevModifiedTime: state.modifiedTime };
}

function stateWith(state: PageState, status: PageStatus, timing: PageTiming): NextState {
  return {
    ...timingOf(timing),
    status,
    prevFetchTime: state.prevFetchTime,
    prevModifiedTime: state.prevModifiedTime,
    unconditional: false,
  };
}
