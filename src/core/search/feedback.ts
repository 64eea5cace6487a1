/**
 * Query expansion by pseudo-relevance feedback: characteristic words of the first hits are added to the query (Bo1, Amati 2003).
 *
 *   w(t) = tf · log2((1 + P) / P) + log2(1 + P)        P = df / N, tf: in all of the first hits
 *
 * P is Bo1's F / N with document frequencies instead of collection frequencies, which the index does not count.
 */
import { KNOWN_TITLE } from './score/ranking-numbers.js';

export interface FirstHit {
  /** Frequency of each term. */
  readonly terms: ReadonlyMap<string, number>;
}

export interface ExpansionTerm {
  readonly term: string;
  readonly weight: number;
}

/** Number of hits whose documents supply words. */
export const FEEDBACK_HITS = 5;
const MAX_TERMS = 10;
const MIN_DF = 2;
/** Minimum number of first hits that contain a word: a word of only one or two pages is specific to them, not to the subject. */
const MIN_HITS = 3;
/** Maximum share of all documents that contain a word. */
const MAX_SHARE = 0.1;
/**
 * Share of the weight of the query that MAX_TERMS added words get in total; fewer ones get less: a single one would weigh as
 * much.
 */
const EXPANSION_WEIGHT = 0.1;
/** Different words that a query has, if it is expanded by default. */
const MIN_TERMS = 5;

export const expandModes = ['auto', 'on', 'off'] as const;
export type ExpandMode = (typeof expandModes)[number];

export interface FeedbackGate {
  readonly mode: ExpandMode;
  /** Whether the query has only words, no operators, phrases, fields or prefixes. */
  readonly isPlain: boolean;
  /** Number of different terms of the query. */
  readonly terms: number;
  /** Share of the title that the query covers, 0 to 1, for each of the first hits. */
  readonly coverages: readonly number[];
}

export interface FeedbackVerdict {
  readonly expands: boolean;
  /** For explain. */
  readonly reason: string;
}

/** Whether to expand a query. A query for one known page is not expanded: the other hits have other subjects. */
export function feedbackVerdict({ mode, isPlain, terms, coverages }: FeedbackGate): FeedbackVerdict {
  const no = (reason: string): FeedbackVerdict => ({ expands: false, reason });
  if (mode === 'off') return no('expansion is off');
  if (!isPlain) return no('the query is not of words alone');
  if (mode === 'on') return { expands: true, reason: 'expansion is on' };
  if (terms < MIN_TERMS) return no(`the query has fewer than ${MIN_TERMS} different words`);
  if (coverages.slice(0, FEEDBACK_HITS).some((covered) => covered >= KNOWN_TITLE))
    return no('the query is most of the title of a hit');
  return { expands: true, reason: `${MIN_TERMS} different words or more, and no hit whose title they are` };
}

/**
 * The words of the query and the added ones, with weights whose sum is the number of words in the query.
 * @param query frequency of each term in the query
 */
export function expand(
  query: ReadonlyMap<string, number>,
  hits: readonly FirstHit[],
  { documents, df }: { readonly documents: number; readonly df: (term: string) => number },
): ExpansionTerm[] {
  const added = bestTerms(hits, documents, df);
  const sumOf = (weights: Iterable<number>): number => [...weights].reduce((sum, weight) => sum + weight, 0);
  const words = sumOf(query.values());
  if (added.length === 0 || words === 0) return [...query].map(([term, weight]) => ({ term, weight }));
  const share = (EXPANSION_WEIGHT * added.length) / MAX_TERMS;
  const weights = new Map([...query].map(([term, count]) => [term, (1 - share) * count]));
  const total = sumOf(added.map(({ weight }) => weight));
  for (const { term, weight } of added) weights.set(term, (weights.get(term) ?? 0) + (share * words * weight) / total);
  return [...weights].map(([term, weight]) => ({ term, weight }));
}

function bestTerms(hits: readonly FirstHit[], documents: number, df: (term: string) => number): ExpansionTerm[] {
  const frequencies = new Map<string, { tf: number; hits: number }>();
  for (const { terms } of hits.slice(0, FEEDBACK_HITS))
    for (const [term, count] of terms) {
      const before = frequencies.get(term) ?? { tf: 0, hits: 0 };
      frequencies.set(term, { tf: before.tf + count, hits: before.hits + 1 });
    }
  const weighed = [...frequencies].flatMap(([term, { tf, hits: inHits }]): ExpansionTerm[] => {
    const having = df(term);
    if (inHits < MIN_HITS || having < MIN_DF || having > MAX_SHARE * documents) return [];
    return [{ term, weight: bo1(tf, having / documents) }];
  });
  return weighed.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, MAX_TERMS);
}

const bo1 = (tf: number, p: number): number => tf * Math.log2((1 + p) / p) + Math.log2(1 + p);
