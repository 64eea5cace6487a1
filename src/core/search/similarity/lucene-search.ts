/** Finds and scores the documents of one segment like Lucene's BooleanQuery: the counterpart of `searchSegment`. */
import { PostingCursor, noFrequencies } from '../postings/posting-codec.js';
import { TITLE } from '../score/bm25f.js';
import { dropDead, flagDays, flagTerm, keepBoth } from '../score/match-flags.js';
import { eachPhrase, postingsOfPhrase } from '../score/phrase-matches.js';
import type {
  DaysLeaf,
  FilterLeaf,
  PhraseLeaf,
  PlanBoolean,
  PlanNode,
  PrefixLeaf,
  TermLeaf,
} from '../score/query-plan.js';
import { POSTINGS_AT_ONCE, type SearchedSegment, type SegmentMatches } from '../score/segment-search.js';
import { phraseFrequency } from './phrase-frequency.js';
import type { Occurrence } from './similarity.js';
import { HOST, type WeighedLeaf, type WeighedPlan, coordOf, isHost, isScoring } from './weighed-plan.js';

export function* searchByLucene(plan: WeighedPlan, segment: SearchedSegment): Generator<void, SegmentMatches> {
  const evaluation = new Evaluation(plan, segment);
  const { matches, scores } = yield* evaluation.boolean(plan.root);
  if (!isScoring(plan.root)) scores.fill(1);
  dropDead(matches, segment.live);
  return { matches, sums: scores, inTitle: evaluation.inTitle, factorOf: () => 1, maxFactor: 1, maxUntitled: 1 };
}

interface NodeMatches {
  readonly matches: Uint8Array;
  readonly scores: Float32Array;
}

class Evaluation {
  readonly inTitle: Uint8Array;
  private readonly size: number;

  constructor(
    private readonly plan: WeighedPlan,
    private readonly segment: SearchedSegment,
  ) {
    this.size = segment.columns.size;
    this.inTitle = new Uint8Array(this.size);
  }

  *boolean({ clauses }: PlanBoolean): Generator<void, NodeMatches> {
    const { size } = this;
    const scores = new Float32Array(size);
    const matching = new Uint8Array(size);
    const alternatives = new Uint8Array(size);
    let required: Uint8Array | undefined;
    for (const { occur, node } of clauses) {
      if (occur === 'must_not') continue;
      const nodeMatches = yield* this.node(node, scores);
      if (isScoring(node)) addTo(matching, nodeMatches);
      if (occur === 'should') for (let doc = 0; doc < size; doc++) alternatives[doc]! |= nodeMatches[doc]!;
      else if (required) keepBoth(required, nodeMatches);
      else required = nodeMatches;
    }
    const matches = required ?? alternatives;
    for (const { occur, node } of clauses) if (occur === 'must_not') yield* this.exclude(node, matches);
    const scoring = clauses.filter(({ occur, node }) => occur !== 'must_not' && isScoring(node)).length;
    for (let doc = 0; doc < size; doc++)
      if (matching[doc]! > 0) scores[doc]! *= coordOf(this.plan.similarity, matching[doc]!, scoring);
    return { matches, scores };
  }

  private *exclude(node: PlanNode, matches: Uint8Array): Generator<void, void> {
    const titles = this.inTitle.slice();
    const excluded = yield* this.node(node, new Float32Array(this.size));
    // Excluded words do not count for the coverage of titles.
    this.inTitle.set(titles);
    for (let doc = 0; doc < this.size; doc++) if (excluded[doc] === 1) matches[doc] = 0;
  }

  /** The documents that match a node; their scores are added to `scores`. */
  private *node(node: PlanNode, scores: Float32Array): Generator<void, Uint8Array> {
    if (node.kind !== 'boolean') {
      const matches = new Uint8Array(this.size);
      if (node.kind === 'phrase') yield* this.phrase(node, { matches, scores });
      else if (node.kind === 'prefix') yield* this.prefix(node, { matches, scores });
      else if (node.kind === 'term') yield* this.term(node, { matches, scores });
      else this.leaf(node, { matches, scores });
      yield;
      return matches;
    }
    const inner = yield* this.boolean(node);
    for (let doc = 0; doc < this.size; doc++) if (inner.matches[doc] === 1) scores[doc]! += inner.scores[doc]!;
    return inner.matches;
  }

  private leaf(leaf: DaysLeaf | FilterLeaf, results: NodeMatches): void {
    if (leaf.kind === 'days') flagDays(leaf, this.segment.columns, results.matches);
    else if (isHost(leaf)) this.hostTerm(leaf, results);
    else flagTerm(leaf.term, this.segment, results.matches);
  }

  private hostTerm(leaf: FilterLeaf, results: NodeMatches): void {
    const frequencies = noFrequencies().fill(1, HOST, HOST + 1);
    for (const cursor of this.cursorsOf([leaf.term]))
      while (cursor.next()) this.hit(leaf, { doc: cursor.doc, frequencies }, results);
  }

  private *term(leaf: TermLeaf, results: NodeMatches): Generator<void, void> {
    yield* eachDocument(this.cursorsOf(leaf.terms), (doc, frequencies) => {
      const isFound = this.hit(leaf, { doc, frequencies }, results);
      if (isFound && !leaf.isExpansion && frequencies[TITLE]! > 0) this.inTitle[doc]!++;
    });
  }

  /** A prefix has a constant score per field, whatever the similarity. */
  private *prefix(leaf: PrefixLeaf, results: NodeMatches): Generator<void, void> {
    const fieldsOf = new Uint8Array(this.size);
    const note = (doc: number, frequencies: ArrayLike<number>): void => {
      for (let field = 0; field < frequencies.length; field++)
        if (frequencies[field]! > 0) fieldsOf[doc]! |= 1 << field;
    };
    for (const cursor of this.cursorsOf(leaf.terms)) yield* eachDocument([cursor], note);
    this.prefixScores(leaf, fieldsOf, results);
  }

  private prefixScores(leaf: PrefixLeaf, fieldsOf: Uint8Array, { matches, scores }: NodeMatches): void {
    const fields = this.plan.fields.get(leaf)!;
    for (let doc = 0; doc < this.size; doc++) {
      if (fieldsOf[doc] === 0) continue;
      const has = fields.filter(({ field }) => (fieldsOf[doc]! >>> field) % 2 === 1);
      if (has.length === 0) continue;
      matches[doc] = 1;
      const sum = has.reduce((all, { boost }) => all + boost, 0);
      scores[doc]! += sum * this.plan.queryNorm * coordOf(this.plan.similarity, has.length, fields.length);
      this.inTitle[doc]! += (fieldsOf[doc]! >>> TITLE) % 2;
    }
  }

  private *phrase(leaf: PhraseLeaf, results: NodeMatches): Generator<void, void> {
    for (const [alternative, words] of leaf.alternatives.entries()) {
      const postings = postingsOfPhrase(this.segment, words);
      if (postings === null) continue;
      const visit = (doc: number, frequencies: ArrayLike<number>): void => {
        if (results.matches[doc] === 1 || !this.hit(leaf, { doc, frequencies, alternative }, results)) return;
        if (frequencies[TITLE]! > 0) this.inTitle[doc]! += words.length;
      };
      yield* eachPhrase(postings, leaf.slop, visit, phraseFrequency);
    }
  }

  /** Adds the score of a leaf by its frequency in each field of a document. @returns whether the document matches */
  private hit(
    leaf: WeighedLeaf,
    { doc, frequencies, alternative = 0 }: { doc: number; frequencies: ArrayLike<number>; alternative?: number },
    { matches, scores }: NodeMatches,
  ): boolean {
    const fields = this.plan.fields.get(leaf)!;
    let [matching, sum] = [0, 0];
    for (const { field, weights } of fields) {
      const freq = frequencies[field]!;
      if (freq === 0) continue;
      matching++;
      sum += weights[alternative]!.score(occurrenceOf(this.segment, { field, doc, freq }));
    }
    if (matching === 0) return false;
    matches[doc] = 1;
    // Normed before it is stored with 32 bits: with the smallest boosts it would be 0.
    scores[doc]! += sum * this.plan.queryNorm * coordOf(this.plan.similarity, matching, fields.length);
    return true;
  }

  private cursorsOf(terms: readonly string[]): PostingCursor[] {
    const postings = terms.flatMap((term) => this.segment.postings.get(term) ?? []);
    return postings.map(({ post }) => new PostingCursor(post));
  }
}

export const occurrenceOf = (
  { columns }: SearchedSegment,
  { field, doc, freq }: { field: number; doc: number; freq: number },
): Occurrence => ({
  freq,
  length: field === HOST ? null : columns.lengths[field]![doc]!,
  boost: columns.boosts[doc]! * (columns.fieldBoosts[field]?.[doc] ?? 1),
});

type VisitDocument = (doc: number, frequencies: ArrayLike<number>) => void;

/** Calls `visit` for each document with any of the terms, with the sums of their frequencies by field; yields now and then. */
function* eachDocument(cursors: readonly PostingCursor[], visit: VisitDocument): Generator<void, void> {
  const [only] = cursors;
  if (cursors.length === 1) {
    for (let isMore = true; isMore; yield) isMore = visitSome(only!, visit);
    return;
  }
  for (let left = cursors.filter((cursor) => cursor.next()); left.length > 0; yield) left = mergeSome(left, visit);
}

/** @returns whether there may be more */
function visitSome(cursor: PostingCursor, visit: VisitDocument): boolean {
  for (let n = 0; n < POSTINGS_AT_ONCE; n++) {
    if (!cursor.next()) return false;
    visit(cursor.doc, cursor.frequencies);
  }
  return true;
}

/** @returns the cursors that have more */
function mergeSome(cursors: PostingCursor[], visit: VisitDocument): PostingCursor[] {
  const sums = noFrequencies();
  let left = cursors;
  for (let n = 0; n < POSTINGS_AT_ONCE && left.length > 0; n++) {
    const doc = Math.min(...left.map((cursor) => cursor.doc));
    sums.fill(0);
    left = left.filter((cursor) => {
      if (cursor.doc !== doc) return true;
      cursor.frequencies.forEach((frequency, field) => (sums[field]! += frequency));
      return cursor.next();
    });
    visit(doc, sums);
  }
  return left;
}

function addTo(sums: Uint8Array, matches: Uint8Array): void {
  for (let doc = 0; doc < sums.length; doc++) sums[doc]! += matches[doc]!;
}
