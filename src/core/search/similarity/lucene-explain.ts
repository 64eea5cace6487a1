/** Explains the score of a document, with the texts of Lucene. */
import { type Explanation, explained } from '../score/explanation.js';
import { frequenciesIn, isWithin } from '../score/match-flags.js';
import { phraseIn, postingsOfPhrase } from '../score/phrase-matches.js';
import type { PhraseLeaf, PlanBoolean, PlanNode } from '../score/query-plan.js';
import type { SearchedSegment } from '../score/segment-search.js';
import { searchFields } from '../search-fields.js';
import { occurrenceOf } from './lucene-search.js';
import { boostDetail } from './lucene-words.js';
import { phraseFrequency } from './phrase-frequency.js';
import {
  HOST,
  type WeighedField,
  type WeighedLeaf,
  type WeighedPlan,
  coordOf,
  isHost,
  isScoring,
  labelOf,
} from './weighed-plan.js';

/** Explains a document that was found. */
export const explainByLucene = (plan: WeighedPlan, segment: SearchedSegment, doc: number): Explanation =>
  new Explaining(plan, segment, doc).boolean(plan.root)?.explanation ??
  (isScoring(plan.root) ? explained(0, 'no word matches') : explained(1, 'no word scores'));

/** Contribution of a matching node to the score, if any. */
interface Matched {
  readonly explanation: Explanation | undefined;
}

/** Frequency of a leaf in each field of a document, and the alternative of a phrase that matches. */
interface FoundLeaf {
  readonly frequencies: ArrayLike<number>;
  readonly alternative: number;
}

class Explaining {
  constructor(
    private readonly plan: WeighedPlan,
    private readonly segment: SearchedSegment,
    private readonly doc: number,
  ) {}

  /** undefined: the document does not match it. */
  boolean({ clauses }: PlanBoolean): Matched | undefined {
    const tried = clauses.map(({ occur, node }) => ({ occur, node, matched: this.node(node) }));
    const isRefused = tried.some(({ occur, matched }) =>
      occur === 'must_not' ? matched !== undefined : occur === 'must' && matched === undefined,
    );
    const included = tried.filter(({ occur }) => occur !== 'must_not');
    const matching = included.filter(({ matched }) => matched !== undefined);
    if (isRefused || matching.length === 0) return undefined;
    // Brackets that only a filter matches count for the coord, but have no explanation.
    const scoring = matching.filter(({ node }) => isScoring(node));
    const details = scoring.flatMap(({ occur, node, matched }) => {
      const explanation = matched!.explanation;
      if (explanation === undefined) return [];
      return occur === 'should' && this.isTakenOut(node) && explanation.description === SUM
        ? explanation.details
        : explanation;
    });
    const scoringClauses = included.filter(({ node }) => isScoring(node)).length;
    return { explanation: this.sum(details, scoring.length, scoringClauses) };
  }

  /** Lucene 8 flattens nested alternatives. */
  private isTakenOut(node: PlanNode): boolean {
    if (this.plan.similarity.normsQueries) return false;
    return node.kind !== 'boolean' || node.clauses.every(({ occur }) => occur === 'should');
  }

  private node(node: PlanNode): Matched | undefined {
    if (node.kind === 'boolean') return this.boolean(node);
    if (node.kind === 'days') return isWithin(node, this.segment.columns.days[this.doc]!) ? NOTHING : undefined;
    if (node.kind !== 'filter' || isHost(node)) return this.leaf(node);
    return frequenciesIn(this.doc, node.term, this.segment) ? NOTHING : undefined;
  }

  /** A leaf in each of its fields. */
  private leaf(leaf: WeighedLeaf): Matched | undefined {
    const match = this.matchOf(leaf);
    const fields = this.plan.fields.get(leaf)!;
    const details = fields.flatMap((weighedField) => {
      const freq = match?.frequencies[weighedField.field] ?? 0;
      return freq === 0 ? [] : [this.field(leaf, weighedField, { freq, alternative: match!.alternative })];
    });
    return details.length > 0 ? { explanation: this.sum(details, details.length, fields.length) } : undefined;
  }

  private field(
    leaf: WeighedLeaf,
    { field, boost, weights }: WeighedField,
    { freq, alternative }: { freq: number; alternative: number },
  ): Explanation {
    const { queryNorm, similarity } = this.plan;
    const weight = weights[alternative];
    if (weight) return weight.explain(occurrenceOf(this.segment, { field, doc: this.doc, freq }), this.doc, queryNorm);
    const label = labelOf(leaf, field);
    const norm = similarity.normsQueries ? [explained(queryNorm, 'queryNorm')] : [];
    const details = [...boostDetail(boost), ...norm];
    return explained(boost * queryNorm, `ConstantScore(${label})${details.length > 0 ? ', product of:' : ''}`, details);
  }

  private sum(details: readonly Explanation[], matching: number, clauses: number): Explanation | undefined {
    if (details.length === 0) return undefined;
    const value = details.reduce((total, detail) => total + detail.value, 0);
    const sum = clauses === 1 && details.length === 1 ? details[0]! : explained(value, SUM, details);
    const coord = coordOf(this.plan.similarity, matching, clauses);
    if (coord === 1) return sum;
    return explained(value * coord, 'product of:', [sum, explained(coord, `coord(${matching}/${clauses})`)]);
  }

  private matchOf(leaf: WeighedLeaf): FoundLeaf | undefined {
    if (leaf.kind === 'phrase') return this.phrase(leaf);
    const terms = leaf.kind === 'filter' ? [leaf.term] : leaf.terms;
    const byTerm = terms.flatMap((term) => frequenciesIn(this.doc, term, this.segment) ?? []);
    if (byTerm.length === 0) return undefined;
    const sums = searchFields.map((_, field) =>
      leaf.kind === 'filter'
        ? Number(field === HOST)
        : byTerm.reduce((sum, frequencies) => sum + frequencies.at(field)!, 0),
    );
    return { frequencies: sums, alternative: 0 };
  }

  private phrase({ alternatives, slop }: PhraseLeaf): FoundLeaf | undefined {
    for (const [alternative, words] of alternatives.entries()) {
      const postings = postingsOfPhrase(this.segment, words);
      if (postings === null) continue;
      const frequencies = phraseIn(postings, slop, this.doc, phraseFrequency);
      if (frequencies) return { frequencies, alternative };
    }
    return undefined;
  }
}

const SUM = 'sum of:';
const NOTHING: Matched = { explanation: undefined };
