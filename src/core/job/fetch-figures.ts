/**
 * The progress of a FETCH or a crawl, from its counters, in the words that all parts use: `msg` of a job, the command line,
 * metrics, and the dashboard (which has a copy of its own, src/dashboard/counts.js). Pure.
 */
import { NOT_VISITED } from './fetch-counters.js';
import type { CounterGroups } from './job-types.js';
import { counted } from '../counted.js';

const FETCHED = ['SUCCESS', 'NOTMODIFIED'];
const REDIRECTED = ['MOVED', 'TEMP_MOVED'];
const DENIED = ['ROBOTS_DENIED'];

type FigureName = Exclude<keyof FetchFigures, 'cut'>;

/** The outcome for a page: one of the words, or null if it was not visited. */
export function outcomeOf(status: string): FigureName | null {
  if (FETCHED.includes(status)) return 'fetched';
  if (REDIRECTED.includes(status)) return 'redirected';
  if (DENIED.includes(status)) return 'denied';
  return NOT_VISITED.includes(status) ? null : 'failed';
}

/** Pages by outcome. */
export interface FetchFigures {
  fetched: number;
  failed: number;
  redirected: number;
  /** By robots.txt. */
  denied: number;
  /** Of those fetched, pages of whose content only a part was kept; left out if there is none. */
  cut?: number;
}

export function fetchFigures(counters: CounterGroups): FetchFigures {
  const figures = { fetched: 0, failed: 0, redirected: 0, denied: 0 };
  for (const [status, n] of Object.entries(counters['FetcherStatus'] ?? {})) {
    const outcome = outcomeOf(status);
    if (outcome !== null) figures[outcome] += n;
  }
  const { truncated: cut = 0 } = counters['Fetcher'] ?? {};
  return { ...figures, ...(cut > 0 && { cut }) };
}

/** `8 fetched (1 cut), 2 failed, 1 redirect, 14 waiting`. @param waiting pages of the batch not visited yet */
export function figuresText({ fetched, failed, redirected, denied, cut = 0 }: FetchFigures, waiting: number): string {
  return [
    `${fetched} fetched${cut > 0 ? ` (${cut} cut)` : ''}`,
    `${failed} failed`,
    ...(redirected > 0 ? [counted(redirected, 'redirect')] : []),
    ...(denied > 0 ? [`${denied} denied by robots.txt`] : []),
    `${waiting} waiting`,
  ].join(', ');
}
