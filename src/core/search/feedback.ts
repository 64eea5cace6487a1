/**
 * Query expansion by pseudo-relevance feedback: words that stand out in the first hits are searched for as well (Bo1, Amati 2003).
 *
 *   w(t) = tf · log2((1 + P) / P) + log2(1 + P)        P = df / N, tf: in all of the first hits
 *
 * P is Bo1's F / N with the documents of a word in place of its places, as those are what the index counts.
 */
export interface FirstHit {
  /** How often it has each term. */
  readonly terms: ReadonlyMap<string, number>;
}

export interface ExpansionTerm {
  readonly term: string;
  readonly weight: number;
}

/** Hits from whose documents words are taken. */
export const FEEDBACK_HITS = 5;
const MAX_TERMS = 10;
const MIN_DF = 2;
/** First hits that have a word: what one or two alone have is of these pages, not of the subject. */
const MIN_HITS = 3;
/** Share of all documents that may have a word. */
const MAX_SHARE = 0.1;
/** What the words of the query weigh altogether, and those that are added. */
const QUERY_WEIGHT = 0.9;
const EXPANSION_WEIGHT = 0.1;

export type ExpandMode = 'auto' | 'on' | 'off';

export interface FeedbackGate {
  readonly mode: ExpandMode;
  /** Whether the query has words alone, no operators, phrases, fields or prefixes. */
  readonly isPlain: boolean;
  /** Different terms of the query. */
  readonly terms: number;
  /** Of the first hits: how much of the title the query covers, 0 to 1. */
  readonly coverages: readonly number[];
}

const MIN_TERMS = 5;
/** A title that the query covers so far was what the person looked for. */
const KNOWN_TITLE = 0.5;

export interface FeedbackVerdict {
  readonly expands: boolean;
  /** For explain. */
  readonly reason: string;
}

/** Whether a query is expanded. A query for one known page must not be: what its neighbours have in common is not what it names. */
export function feedbackVerdict({ mode, isPlain, terms, coverages }: FeedbackGate): FeedbackVerdict {
  const no = (reason: string): FeedbackVerdict => ({ expands: false, reason });
  if (mode === 'off') return no('expansion is off');
  if (!isPlain) return no('the query is not of words alone');
  if (mode === 'on') return { expands: true, reason: 'expansion is on' };
  if (terms < MIN_TERMS) return no(`the query has less than ${MIN_TERMS} different words`);
  if (coverages.slice(0, FEEDBACK_HITS).some((covered) => covered >= KNOWN_TITLE))
    return no('the query is most of the title of a hit');
  return { expands: true, reason: `${MIN_TERMS} different words or more, and no hit whose title they are` };
}

/**
 * The words of the query and those that are added, with their weights, which come to as many as the query has words.
 * @param query how often each term stands in the query
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
  const weights = new Map([...query].map(([term, count]) => [term, QUERY_WEIGHT * count]));
  const total = sumOf(added.map(({ weight }) => weight));
  for (const { term, weight } of added)
    weights.set(term, (weights.get(term) ?? 0) + (EXPANSION_WEIGHT * words * weight) / total);
  return [...weights].map(([term, weight]) => ({ term, weight }));
}

function bestTerms(hits: readonly FirstHit[], documents: number, df: (term: string) => number): ExpansionTerm[] {
  const frequencies = new Map<string, { tf: number; hits: number }>();
  for (const { terms } of hits.slice(0, FEEDBACK_HITS))
    for (const [term, count] of terms) {
      const before = frequencies.get(term) ?? { tf: 0, hits: 0 };
      frequencies.set(term, { tf: before.tf + count, hits: before.hits + 1 });
    }
  const weighed = [...frequencies].flatMap(([term, { tf, hits: having }]): ExpansionTerm[] => {
    const share = df(term);
    if (having < MIN_HITS || share < MIN_DF || share > MAX_SHARE * documents) return [];
    return [{ term, weight: bo1(tf, share / documents) }];
  });
  return weighed.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, MAX_TERMS);
}

const bo1 = (tf: number, p: number): number => tf * Math.log2((1 + p) / p) + Math.log2(1 + p);
