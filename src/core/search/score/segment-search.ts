/** Finds and scores the documents of one segment that match a query. */
import { PostingCursor } from '../postings/posting-codec.js';
import type { LiveBits } from '../postings/live-bits.js';
import type { SegmentColumns } from '../postings/segment-columns.js';
import {
  type Bm25Parameters,
  FieldFrequency,
  type FieldWeights,
  type IndexStatistics,
  IS_PART,
  IS_TITLE,
  NOT_SAME,
  type SameTitle,
  TITLE,
  coverage,
  hasTitleWeight,
  idf,
  priorFactor,
  sameTitleOf,
  saturated,
  titleFactor,
} from './bm25f.js';
import { dropDead, flagDays, flagTerm, keepBoth, termCursor } from './match-flags.js';
import { eachPhrase, postingsOfPhrase } from './phrase-matches.js';
import { ScratchArrays } from './scratch-arrays.js';
import { type TermTarget, type CountedTerm, addTerm, addedScore, countInTitle } from './term-scores.js';
import {
  type PhraseLeaf,
  type PlanBoolean,
  type PlanClause,
  type PlanNode,
  type PrefixLeaf,
  type QueryPlan,
  type TermLeaf,
  formsOf,
  scoredLeaves,
} from './query-plan.js';

/** Postings that are read between two pauses, where each costs more than a word's does: a fraction of a millisecond. */
export const POSTINGS_AT_ONCE = 2_048;

/** The postings of a term in a segment; `pos` is empty if it was not read. */
export interface FoundPostings {
  readonly post: Uint8Array;
  readonly pos: Uint8Array;
}

export interface SearchedSegment {
  readonly columns: SegmentColumns;
  readonly live: LiveBits;
  readonly postings: ReadonlyMap<string, FoundPostings>;
}

export interface SearchedIndex {
  readonly statistics: IndexStatistics;
  readonly weights: FieldWeights;
  readonly bm25: Bm25Parameters;
  /** Number of documents with a term, in all segments. */
  readonly df: (term: string) => number;
}

export interface SegmentMatches {
  /** By document: 1 if it is live and matches. */
  readonly matches: Uint8Array;
  /** By document: the sum of the scores of its words. */
  readonly sums: Float32Array;
  /** By document: number of words of the query in its title. */
  readonly inTitle: Uint8Array;
  /** The factor of a document: its score is the product of this and of the sum. */
  readonly factorOf: (doc: number) => number;
  /** By document: `SameTitle`; undefined if no title is the query. */
  readonly sameTitles?: Uint8Array | undefined;
  /** No factor is greater: most documents score too low whatever their factor is. */
  readonly maxFactor: number;
  /** No factor of a document without a word of the query in its title is greater. */
  readonly maxUntitled: number;
}

/** The score of a document, rounded like its sum, so that the same document has the same score in each search. */
export const scoreOf = ({ sums, factorOf }: SegmentMatches, doc: number): number =>
  Math.fround(sums[doc]! * factorOf(doc));

/** The idf of a word with several terms, whose document frequencies are added. */
export const idfOf = (index: SearchedIndex, terms: readonly string[]): number =>
  idf(index.statistics.documents, dfOf(index, terms));

export function dfOf({ statistics: { documents }, df }: SearchedIndex, terms: readonly string[]): number {
  const sum = terms.reduce((all, term) => all + df(term), 0);
  return Math.min(documents, sum);
}

/**
 * Searches a segment; yields between the leaves of the query, so that other requests are processed.
 * @param arrays contain the arrays of the result, which are valid until they are released
 */
export function* searchSegment(
  { root, words, title }: QueryPlan,
  segment: SearchedSegment,
  index: SearchedIndex,
  arrays = new ScratchArrays(),
): Generator<void, SegmentMatches> {
  const evaluation = new Evaluation(segment, index, arrays);
  const rootMatches = yield* evaluation.boolean(root);
  const { columns } = segment;
  if (scoredLeaves(root).length === 0) rootMatches.scores.fill(1);
  const titles = columns.lengths[TITLE]!;
  const { inTitle } = evaluation;
  const covers = hasTitleWeight(index.weights);
  const same = title === null || !covers ? undefined : evaluation.withTitle(title);
  const titleOf = (doc: number): number => {
    const m = covers ? inTitle[doc]! : 0;
    const sameTitle = (same?.[doc] ?? NOT_SAME) as SameTitle;
    return m === 0 && sameTitle === NOT_SAME ? 1 : titleFactor(coverage(m, words, titles[doc]!), sameTitle);
  };
  const maxUntitled = same === undefined ? 1 : Math.max(titleFactor(0, IS_TITLE), titleFactor(0, IS_PART));
  const maxTitled = Math.max(maxUntitled, titleFactor(covers ? 1 : 0, same === undefined ? NOT_SAME : IS_TITLE));
  dropDead(rootMatches.matches, segment.live);
  return {
    matches: rootMatches.matches,
    sums: rootMatches.scores,
    inTitle,
    sameTitles: same,
    factorOf: (doc) => priorFactor(columns.boosts[doc]!) * titleOf(doc),
    maxFactor: maxPriorOf(columns) * maxTitled,
    maxUntitled: maxPriorOf(columns) * maxUntitled,
  };
}

const maxPriors = new WeakMap<SegmentColumns, number>();

function maxPriorOf(columns: SegmentColumns): number {
  let max = maxPriors.get(columns);
  if (max === undefined)
    maxPriors.set(columns, (max = priorFactor(columns.boosts.reduce((a, b) => Math.max(a, b), 0))));
  return max;
}

interface NodeMatches {
  readonly matches: Uint8Array;
  readonly scores: Float32Array;
}

class Evaluation {
  readonly inTitle: Uint8Array;
  private readonly frequency: FieldFrequency;
  private readonly size: number;

  constructor(
    private readonly segment: SearchedSegment,
    private readonly index: SearchedIndex,
    private readonly arrays: ScratchArrays,
  ) {
    this.size = segment.columns.size;
    this.inTitle = arrays.flags(this.size);
    this.frequency = new FieldFrequency(segment.columns, index.weights, index.statistics, index.bm25);
  }

  *boolean({ clauses, weight }: PlanBoolean): Generator<void, NodeMatches> {
    const nodesOf = (occur: PlanClause['occur']): PlanNode[] =>
      clauses.filter((clause) => clause.occur === occur).map(({ node }) => node);
    const scores = this.arrays.scores(this.size);
    let matches: Uint8Array | undefined;
    for (const node of nodesOf('must')) {
      const before = this.arrays.size;
      const nodeMatches = this.arrays.flags(this.size);
      yield* this.into(node, nodeMatches, scores);
      if (matches === undefined) matches = nodeMatches;
      else {
        keepBoth(matches, nodeMatches);
        this.arrays.release(before);
      }
    }
    // If a clause is required, alternatives only add to the score.
    const alternatives = this.arrays.flags(this.size);
    for (const node of nodesOf('should')) yield* this.into(node, alternatives, scores);
    matches ??= alternatives;
    const excluded = nodesOf('must_not');
    if (excluded.length > 0) yield* this.exclude(excluded, matches);
    if (weight !== 1) for (let doc = 0; doc < this.size; doc++) scores[doc]! *= weight;
    return { matches, scores };
  }

  private *exclude(nodes: readonly PlanNode[], matches: Uint8Array): Generator<void, void> {
    const before = this.arrays.size;
    const excluded = this.arrays.flags(this.size);
    const unused = this.arrays.scores(this.size);
    const titles = this.inTitle.slice();
    for (const node of nodes) yield* this.into(node, excluded, unused);
    // Excluded words do not count for the coverage of titles.
    this.inTitle.set(titles);
    for (let doc = 0; doc < this.size; doc++) if (excluded[doc] === 1) matches[doc] = 0;
    this.arrays.release(before);
  }

  /** Finds the documents that match a node, and adds to their scores. */
  private *into(node: PlanNode, matches: Uint8Array, scores: Float32Array): Generator<void, void> {
    if (node.kind === 'phrase') {
      yield* this.phrase(node, matches, scores);
      return;
    }
    if (node.kind === 'prefix') {
      yield* this.prefix(node, matches, scores);
      return;
    }
    if (node.kind === 'term') {
      yield* this.term(node, matches, scores);
      return;
    }
    if (node.kind !== 'boolean') {
      if (node.kind === 'days') flagDays(node, this.segment.columns, matches);
      else flagTerm(node.term, this.segment, matches);
      yield;
      return;
    }
    // A query may have many brackets: the arrays of one are released before the next one.
    const before = this.arrays.size;
    const inner = yield* this.boolean(node);
    for (let doc = 0; doc < this.size; doc++) {
      if (inner.matches[doc] === 0) continue;
      matches[doc] = 1;
      scores[doc]! += inner.scores[doc]!;
    }
    this.arrays.release(before);
  }

  /** By document: `SameTitle`, for the term of a title; undefined if no title of the segment has it. */
  withTitle(term: string): Uint8Array | undefined {
    const cursor = termCursor(term, this.segment);
    if (cursor === undefined) return undefined;
    const same = this.arrays.flags(this.size);
    const df = this.index.df(term);
    while (cursor.next()) same[cursor.doc] = sameTitleOf(cursor.frequencies, df);
    return same;
  }

  private *term(leaf: TermLeaf, matches: Uint8Array, scores: Float32Array): Generator<void, void> {
    const { field } = leaf;
    const { inTitle } = this;
    for (const { terms, weight, countsTitles } of formsOf(leaf)) {
      const before = this.arrays.size;
      const posts = terms.flatMap((term) => this.segment.postings.get(term)?.post ?? []);
      const { size } = this;
      const earlier = posts.length > 1 ? { tfs: this.arrays.scores(size), titles: this.arrays.flags(size) } : undefined;
      const how = { factor: weight * idfOf(this.index, terms), countsTitles, earlier };
      for (const post of posts) {
        if (field === null) addTerm(post, this.frequency, { matches, scores, inTitle }, how);
        else this.termOfField(new PostingCursor(post), field, how, { matches, scores, inTitle });
        yield;
      }
      this.arrays.release(before);
    }
  }

  private termOfField(
    cursor: PostingCursor,
    field: number,
    { factor, countsTitles, earlier }: CountedTerm,
    { matches, scores, inTitle }: TermTarget,
  ): void {
    while (cursor.next()) {
      const tf = this.tfOf(cursor, field);
      if (tf === 0) continue;
      const { doc } = cursor;
      matches[doc] = 1;
      scores[doc]! += factor * addedScore(tf, doc, this.index.bm25.k1, earlier);
      if (countsTitles && cursor.frequencies[TITLE]! > 0) countInTitle(inTitle, doc, earlier);
    }
  }

  /** The terms of a prefix count as one word: their frequencies are added up. */
  private *prefix(leaf: PrefixLeaf, matches: Uint8Array, scores: Float32Array): Generator<void, void> {
    const before = this.arrays.size;
    const sums = this.arrays.scores(this.size);
    const titles = this.arrays.flags(this.size);
    for (const term of leaf.terms) {
      const cursor = termCursor(term, this.segment);
      for (let isMore = cursor !== undefined; isMore; yield)
        isMore = this.addSome(cursor!, leaf.field, { sums, titles });
    }
    this.prefixScores(leaf, { sums, titles }, { matches, scores });
    this.arrays.release(before);
    yield;
  }

  /** Adds the next frequencies of a term of a prefix. @returns whether there may be more */
  private addSome(
    cursor: PostingCursor,
    field: number | null,
    { sums, titles }: { sums: Float32Array; titles: Uint8Array },
  ): boolean {
    for (let n = 0; n < POSTINGS_AT_ONCE; n++) {
      if (!cursor.next()) return false;
      sums[cursor.doc]! += this.tfOf(cursor, field);
      if (cursor.frequencies[TITLE]! > 0) titles[cursor.doc] = 1;
    }
    return true;
  }

  private prefixScores(
    { terms, weight }: PrefixLeaf,
    { sums, titles }: { sums: Float32Array; titles: Uint8Array },
    { matches, scores }: NodeMatches,
  ): void {
    const factor = weight * idfOf(this.index, terms);
    for (let doc = 0; doc < this.size; doc++) {
      if (sums[doc] === 0) continue;
      matches[doc] = 1;
      scores[doc]! += factor * saturated(sums[doc]!, this.index.bm25.k1);
      this.inTitle[doc]! += titles[doc]!;
    }
  }

  private *phrase(
    { alternatives, field, weight, slop }: PhraseLeaf,
    matches: Uint8Array,
    scores: Float32Array,
  ): Generator<void, void> {
    const before = this.arrays.size;
    // The first alternative that a document has counts.
    const counted = this.arrays.flags(this.size);
    for (const words of alternatives) {
      const postings = postingsOfPhrase(this.segment, words);
      if (postings === null) continue;
      const factor = weight * words.reduce((sum, { term }) => sum + idfOf(this.index, [term]), 0);
      yield* eachPhrase(postings, slop, (doc, frequencies) => {
        const tf = frequencies.reduce(
          (sum, count, at) =>
            count > 0 && (field === null || field === at) ? sum + this.frequency.ofField(at, count, doc) : sum,
          0,
        );
        if (tf === 0 || counted[doc] === 1) return;
        counted[doc] = matches[doc] = 1;
        scores[doc]! += factor * saturated(tf, this.index.bm25.k1);
        if (frequencies[TITLE]! > 0) this.inTitle[doc]! += words.length;
      });
      yield;
    }
    this.arrays.release(before);
  }

  private tfOf(cursor: PostingCursor, field: number | null): number {
    if (field === null) return this.frequency.ofDocument(cursor);
    const count = cursor.frequencies[field]!;
    return count === 0 ? 0 : this.frequency.ofField(field, count, cursor.doc);
  }
}
