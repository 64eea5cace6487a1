/** Query expansion: adds characteristic words of the first hits to a plan (core/search/feedback.ts). */
import { analyze } from '../core/search/analysis/analyze.js';
import {
  type ExpandMode,
  FEEDBACK_HITS,
  type FeedbackVerdict,
  type FirstHit,
  expand,
  feedbackVerdict,
} from '../core/search/feedback.js';
import { type QueryPlan, type TermLeaf, bothLeaves } from '../core/search/score/query-plan.js';
import type { Sql } from '../db/sql.js';
import type { IndexSnapshot } from './index-snapshot.js';
import { textsOfPages } from './snippets.js';

/** Maximum of UTF-16 units of a text that are analyzed. */
const MAX_TEXT_LENGTH = 20_000;
/** Maximum of words whose document frequencies are looked up: the most frequent ones of the first hits. */
const MAX_LOOKED_UP = 150;

/** The words of a query that has only words; undefined for other queries. */
function plainWords({ root }: QueryPlan): TermLeaf[] | undefined {
  const leaves = root.clauses.flatMap(({ occur, node }) =>
    occur === 'should' && node.kind === 'term' && node.field === null ? [node] : [],
  );
  return leaves.length === root.clauses.length && leaves.length > 0 ? leaves : undefined;
}

export interface QueryExpansion {
  readonly verdict: FeedbackVerdict;
  /** Undefined if the query is not expanded. */
  readonly plan?: QueryPlan;
  /** The added words, in descending order of weight. */
  readonly added: readonly string[];
}

/** @param first reads the best hits of the plan, with the coverage of their titles by the query */
export async function expanded(
  { db, crawl, snapshot, plan }: { db: Sql; crawl: number; snapshot: IndexSnapshot; plan: QueryPlan },
  mode: ExpandMode,
  first: () => Promise<readonly { id: string; language: string; covered: number }[]>,
): Promise<QueryExpansion> {
  const words = plainWords(plan);
  const gate = { mode, isPlain: words !== undefined, terms: words?.length ?? 0 };
  const early = feedbackVerdict({ ...gate, coverages: [] });
  if (!early.expands || words === undefined) return { verdict: early, added: [] };
  const best = await first();
  const verdict = feedbackVerdict({ ...gate, coverages: best.map(({ covered }) => covered) });
  if (!verdict.expands) return { verdict, added: [] };
  const hits = await firstHits(db, crawl, best.slice(0, FEEDBACK_HITS));
  await snapshot.find(mostFrequent(hits));
  const byTerm = leavesByTerm(words);
  const query = new Map(Array.from(byTerm, ([term, { weight }]) => [term, weight]));
  const weighed = expand(query, hits, {
    documents: snapshot.statistics.documents,
    df: (term) => snapshot.df(term),
  });
  const clauses = weighed.map(({ term, weight }) => {
    const leaf = byTerm.get(term);
    const node: TermLeaf = leaf
      ? { ...leaf, weight }
      : { kind: 'term', terms: [term], written: [term], field: null, weight, isExpansion: true };
    return { occur: 'should', node } as const;
  });
  const added = weighed.filter(({ term }) => !byTerm.has(term)).sort((a, b) => b.weight - a.weight);
  return {
    verdict,
    plan: { ...plan, root: { kind: 'boolean', clauses, weight: 1 } },
    added: added.map(({ term }) => term),
  };
}

/** The words of a query by their first term, which two words may have in common, while they differ in another language. */
function leavesByTerm(words: readonly TermLeaf[]): Map<string, TermLeaf> {
  const byTerm = new Map<string, TermLeaf>();
  for (const leaf of words) {
    const term = leaf.terms[0]!;
    const earlier = byTerm.get(term);
    byTerm.set(term, earlier ? bothLeaves(earlier, leaf) : leaf);
  }
  return byTerm;
}

async function firstHits(
  db: Sql,
  crawl: number,
  first: readonly { id: string; language: string }[],
): Promise<FirstHit[]> {
  const languages = new Map(first.map(({ id, language }) => [id, language || null]));
  const hits: FirstHit[] = [];
  for await (const { id, text } of textsOfPages(db, crawl, [...languages.keys()])) {
    const terms = new Map<string, number>();
    for (const { term } of analyze(text.slice(0, MAX_TEXT_LENGTH), languages.get(id) ?? null))
      terms.set(term, (terms.get(term) ?? 0) + 1);
    hits.push({ terms });
  }
  return hits;
}

function mostFrequent(hits: readonly FirstHit[]): string[] {
  const sums = new Map<string, number>();
  for (const { terms } of hits) for (const [term, count] of terms) sums.set(term, (sums.get(term) ?? 0) + count);
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_LOOKED_UP)
    .map(([term]) => term);
}
