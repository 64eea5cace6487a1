/**
 * The counters of `FetcherFailures`: failed visits by their reason, in the words of the status of their pages (`HTTP 503`,
 * `refused: the connection was refused`). They tell apart what FetcherStatus counts together (EXCEPTION). Pure.
 */
import { outcomeOf } from './fetch-figures.js';
import type { CounterGroups } from './job-types.js';

/** Counters of a job are small. */
const MAX_LENGTH = 120;
/** Outcomes that follow from other failures, or are none of the web. */
const WITHOUT_REASON: readonly string[] = ['above_exception_threshold', 'not_stored', 'PROTO_NOT_FOUND'];
/** After the code of an FTP reply come words of its server, of which there is no end. */
const REPLY = /^(FTP \d{3}) .*$/s;

/** The name of the counter for a visit; null if it did not fail, or its reason says no more than its outcome. */
export function failureName(outcome: string, [said]: readonly string[]): string | null {
  if (said === undefined || outcomeOf(outcome) !== 'failed' || WITHOUT_REASON.includes(outcome)) return null;
  return said.replace(REPLY, '$1').slice(0, MAX_LENGTH);
}

/** The reason of most failures, of equally frequent ones the first by name; null if none is known. */
export function mostFrequentFailure({ FetcherFailures = {} }: CounterGroups): string | null {
  const [first] = Object.entries(FetcherFailures).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}
