/** Explains the score of a document as a tree (Lucene `Explanation`): each value is computed from those below it. */
import { type Explanation, explained } from './explanation.js';
import { searchFields } from '../search-fields.js';
import {
  FieldFrequency,
  NOT_SAME,
  type SameTitle,
  TITLE,
  bOf,
  coverage,
  hasTitleWeight,
  idf,
  priorFactor,
  sameTitleOf,
  saturated,
  titleFactor,
} from './bm25f.js';
import { frequenciesIn, isWithin } from './match-flags.js';
import { phraseIn, postingsOfPhrase } from './phrase-matches.js';
import { type NearWord, proximities, totalGain } from './proximity.js';
import {
  type PhraseLeaf,
  type PlanBoolean,
  type PlanLeaf,
  type PlanNode,
  type QueryPlan,
  type ScoredLeaf,
  type TermLeaf,
  formsOf,
  scoredLeaves,
} from './query-plan.js';
import {
  HALF_START,
  IDF_POWER,
  NEIGHBOURS,
  PASSAGE,
  PRIOR,
  SAME_PART,
  SAME_TITLE,
  START,
  TITLE_COVERAGE,
} from './ranking-numbers.js';
import { type SearchedIndex, type SearchedSegment, dfOf } from './segment-search.js';

/**
 * Explains a document that was found.
 * @param near words whose proximity adds to the score
 */
export function explain(
  plan: QueryPlan,
  segment: SearchedSegment,
  index: SearchedIndex,
  { doc, near }: { readonly doc: number; readonly near: readonly NearWord[] },
): Explanation {
  const explaining = new Explaining(segment, index, doc);
  const words = explaining.words(plan.root, near);
  const { columns } = segment;
  const prior = priorOf(columns.boosts[doc]!);
  const isScored = words !== undefined && scoredLeaves(plan.root).length > 0;
  const sum = isScored ? words : explained(1, 'no word scores');
  const factors = hasTitleWeight(index.weights) ? [titleOf(plan, explaining, segment, doc), prior] : [prior];
  return {
    value: factors.reduce((product, { value }) => product * value, sum.value),
    description: 'score: product of',
    details: [sum, ...factors],
  };
}

const priorOf = (boost: number): Explanation => ({
  value: priorFactor(boost),
  description: `prior: 1 + ${PRIOR} · ln(1 + boost)`,
  details: [explained(boost, 'boost of the document')],
});

const COVERAGE = `title coverage: 1 + ${TITLE_COVERAGE} · (m / words) · (m / length)`;
/** By `SameTitle`. */
const TITLE_FACTORS = [
  COVERAGE,
  `${COVERAGE} + ${SAME_TITLE}, as the title is the query`,
  `title coverage: 1 + ${TITLE_COVERAGE} + ${SAME_PART}, as a part of the title is the query`,
] as const;

/** @param explaining after it has explained the words: it counts those in the title */
function titleOf(plan: QueryPlan, explaining: Explaining, { columns }: SearchedSegment, doc: number): Explanation {
  const titleLength = columns.lengths[TITLE]![doc]!;
  const matched = Math.min(explaining.inTitle, plan.words);
  const covered = coverage(matched, plan.words, titleLength);
  const same = plan.title === null ? NOT_SAME : explaining.sameTitle(plan.title);
  return {
    value: titleFactor(covered, same),
    description: TITLE_FACTORS[same],
    details: [
      explained(matched, 'm, words of the query in the title'),
      explained(plan.words, 'words of the query'),
      explained(titleLength, 'length of the title'),
    ],
  };
}

class Explaining {
  inTitle = 0;
  private readonly frequency: FieldFrequency;

  constructor(
    private readonly segment: SearchedSegment,
    private readonly index: SearchedIndex,
    private readonly doc: number,
  ) {
    this.frequency = new FieldFrequency(segment.columns, index.weights, index.statistics, index.bm25);
  }

  /** @param term of the query as a title */
  sameTitle(term: string): SameTitle {
    const frequencies = this.frequenciesOf(term);
    return frequencies === undefined ? NOT_SAME : sameTitleOf(frequencies, this.index.df(term));
  }

  /** The score of the words and of their proximity. */
  words(root: PlanBoolean, near: readonly NearWord[]): Explanation | undefined {
    const explanation = this.boolean(root);
    const gained = this.proximity(near);
    if (explanation === undefined || gained.value === 0) return explanation;
    return { value: explanation.value + gained.value, description: 'sum of', details: [explanation, gained] };
  }

  private proximity(words: readonly NearWord[]): Explanation {
    const { segment, index, doc } = this;
    const steps = proximities(words, segment, index, [doc]);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const [gain] = step.value;
    if (gain === undefined) return explained(0, 'proximity');
    const named = (values: Float64Array, how: string): Explanation[] =>
      [...values].flatMap((value, at) => (value === 0 ? [] : explained(value, `${words[at]!.terms[0]}: ${how}`)));
    const details = [
      ...named(gain.neighbours, `neighbours: ${NEIGHBOURS} · weight · min(1, idf) · a · (k1 + 1) / (a + k1 · norm)`),
      ...named(gain.start, `start: ${START} · weight · idf / (1 + first / ${HALF_START})`),
      ...(gain.passage === 0 ? [] : [explained(gain.passage, `best passage of ${PASSAGE} words: p⁴ / all³`)]),
    ];
    const description = 'proximity: a is the sum of idf / distance² of the words beside it; sum of';
    return { value: totalGain(gain), description, details };
  }

  /** undefined: it does not match. */
  boolean({ clauses, weight }: PlanBoolean): Explanation | undefined {
    const tried = clauses
      .filter(({ occur }) => occur !== 'must_not')
      .map(({ occur, node }) => ({ occur, explanation: this.node(node) }));
    if (tried.some(({ occur, explanation }) => occur === 'must' && explanation === undefined)) return undefined;
    if (clauses.some(({ occur, node }) => occur === 'must_not' && this.matches(node))) return undefined;
    const explanations = tried.flatMap(({ explanation }) => explanation ?? []);
    if (explanations.length === 0) return undefined;
    const details = explanations.filter(({ value }) => value > 0);
    const value = details.reduce((sum, detail) => sum + detail.value, 0) * weight;
    return { value, description: weight === 1 ? 'sum of' : `${weight} · sum of`, details };
  }

  /** Whether it matches; its words do not count for the coverage of the title. */
  private matches(node: PlanNode): boolean {
    const { inTitle } = this;
    const isMatching = this.node(node) !== undefined;
    this.inTitle = inTitle;
    return isMatching;
  }

  private node(node: PlanNode): Explanation | undefined {
    return node.kind === 'boolean' ? this.boolean(node) : this.leaf(node);
  }

  private leaf(leaf: PlanLeaf): Explanation | undefined {
    if (leaf.kind === 'days') {
      return isWithin(leaf, this.segment.columns.days[this.doc]!) ? explained(0, 'within the days') : undefined;
    }
    if (leaf.kind === 'filter') return this.frequenciesOf(leaf.term) ? explained(0, leaf.term) : undefined;
    if (leaf.kind === 'phrase') return this.phrase(leaf);
    if (leaf.kind === 'term') return this.term(leaf);
    return this.word(leaf, {
      name: `${leaf.prefixes[0]}*`,
      sums: this.sumsOf(leaf.terms),
      terms: leaf.terms,
      words: 1,
    });
  }

  /** A word in any form, plus the word as written. */
  private term(leaf: TermLeaf): Explanation | undefined {
    const details = formsOf(leaf).flatMap(({ terms, weight, countsTitles }) => {
      const name = terms.find((term) => this.frequenciesOf(term)) ?? '';
      const words = countsTitles && this.isCounted(terms, leaf.field) ? 1 : 0;
      return this.word({ ...leaf, weight }, { name, sums: this.sumsOf(terms), terms, words }) ?? [];
    });
    if (details.length < 2) return details[0];
    const value = details.reduce((sum, detail) => sum + detail.value, 0);
    return { value, description: 'sum of', details };
  }

  /** Whether one of the terms is in the title, and in the field to which the word is limited. */
  private isCounted(terms: readonly string[], field: number | null): boolean {
    return terms.some((term) => {
      const frequencies = this.frequenciesOf(term);
      return frequencies !== undefined && frequencies[TITLE]! > 0 && frequencies[field ?? TITLE]! > 0;
    });
  }

  private sumsOf(terms: readonly string[]): number[] {
    const byTerm = terms.map((term) => this.frequenciesOf(term)).filter((frequencies) => frequencies !== undefined);
    return searchFields.map((_, field) => byTerm.reduce((sum, frequencies) => sum + frequencies[field]!, 0));
  }

  private phrase(leaf: PhraseLeaf): Explanation | undefined {
    for (const words of leaf.alternatives) {
      const postings = postingsOfPhrase(this.segment, words);
      if (postings === null) continue;
      const sums = phraseIn(postings, leaf.slop, this.doc);
      const terms = words.map(({ term }) => term);
      if (sums) return this.word(leaf, { name: `"${terms.join(' ')}"`, sums, terms, words: words.length });
    }
    return undefined;
  }

  /** A word, prefix or phrase, by its frequency in each field. */
  private word(
    leaf: ScoredLeaf,
    { name, sums, terms, words }: { name: string; sums: readonly number[]; terms: readonly string[]; words: number },
  ): Explanation | undefined {
    const details = sums.flatMap((count, field) => {
      if (count === 0 || (leaf.field !== null && leaf.field !== field)) return [];
      return [this.field(field, count)];
    });
    const tf = details.reduce((sum, { value }) => sum + value, 0);
    if (tf === 0) return undefined;
    if (sums[TITLE]! > 0) this.inTitle += words;
    const rarity = leaf.kind === 'phrase' ? this.sumOfIdf(terms) : this.idfOf(terms);
    const { k1 } = this.index.bm25;
    const saturation: Explanation = {
      value: saturated(tf, k1),
      description: `tf: f · (k1 + 1) / (k1 + f), k1 ${k1}, f is the sum of`,
      details,
    };
    const factors = [...(leaf.weight === 1 ? [] : [explained(leaf.weight, 'weight')]), rarity, saturation];
    return {
      value: factors.reduce((product, { value }) => product * value, 1),
      description: `${name}${leaf.kind === 'term' && leaf.isExpansion ? ' (added by feedback)' : ''}: product of`,
      details: factors,
    };
  }

  private field(field: number, count: number): Explanation {
    const { columns } = this.segment;
    const { weights, statistics, bm25 } = this.index;
    return {
      value: this.frequency.ofField(field, count, this.doc),
      description: `${searchFields[field]}: weight · freq / (1 − b + b · length / average), b ${bOf(field, bm25)}`,
      details: [
        explained(weights[field]! * (columns.fieldBoosts[field]?.[this.doc] ?? 1), 'weight of the field'),
        explained(count, 'freq, how often it occurs there'),
        explained(columns.lengths[field]![this.doc]!, 'length of the field'),
        explained(statistics.averages[field]!, 'average length of the field'),
      ],
    };
  }

  private idfOf(terms: readonly string[]): Explanation {
    const { documents } = this.index.statistics;
    const df = dfOf(this.index, terms);
    return {
      value: idf(documents, df),
      description: `idf: ln(1 + (N − n + 0.5) / (n + 0.5)) to the power of ${IDF_POWER}`,
      details: [explained(df, 'n, documents with the word'), explained(documents, 'N, documents')],
    };
  }

  private sumOfIdf(terms: readonly string[]): Explanation {
    const details = terms.map((term) => this.idfOf([term]));
    return { value: details.reduce((sum, { value }) => sum + value, 0), description: 'idf: sum of', details };
  }

  private frequenciesOf(term: string): ArrayLike<number> | undefined {
    return frequenciesIn(this.doc, term, this.segment);
  }
}
