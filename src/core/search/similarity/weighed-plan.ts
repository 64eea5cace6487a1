/**
 * A query plan with the weights of its words by Lucene's formulas. A word without a field is searched in each field with a
 * weight, like `(title:ferry^5 content:ferry)`.
 */
import { CONTENT, FIELDS, PostingCursor } from '../postings/posting-codec.js';
import type { SegmentColumns } from '../postings/segment-columns.js';
import { filterTerm } from '../postings/site-terms.js';
import {
  type FilterLeaf,
  type PhraseLeaf,
  type PlanBoolean,
  type PlanLeaf,
  type PlanNode,
  type QueryPlan,
  type ScoredLeaf,
  type TermLeaf,
  leavesOf,
} from '../score/query-plan.js';
import type { SearchedIndex, SearchedSegment } from '../score/segment-search.js';
import { searchFields } from '../search-fields.js';
import type { Collection, Similarity, TermWeight } from './similarity.js';

/** Indexed without lengths and boosts, like names in Lucene. */
export const HOST = searchFields.indexOf('host');
const HOST_FILTER = filterTerm('host', '');

/** Leaves with a score: words, and the host of a filter, as it is a field like others. */
export type WeighedLeaf = ScoredLeaf | FilterLeaf;

/** A leaf in one field. */
export interface WeighedField {
  readonly field: number;
  /** The boost of the leaf times those of all brackets around it, and that of the field if the query names none. */
  readonly boost: number;
  /** One for each alternative of a phrase; none for a prefix: its weight is its boost. */
  readonly weights: readonly TermWeight[];
}

export interface WeighedPlan {
  readonly root: PlanBoolean;
  readonly similarity: Similarity;
  readonly fields: ReadonlyMap<WeighedLeaf, readonly WeighedField[]>;
  readonly queryNorm: number;
}

/** Weighs a plan whose terms were read; yields to the event loop between terms. */
export function* weighPlan(
  { root }: QueryPlan,
  segments: readonly SearchedSegment[],
  { index, similarity }: { index: SearchedIndex; similarity: Similarity },
): Generator<void, WeighedPlan> {
  const counts = new Map<string, Uint32Array>();
  for (const term of new Set(leavesOf(root).flatMap(countedTerms))) {
    counts.set(term, documentsWith(term, segments));
    yield;
  }
  const weighing = new Weighing(counts, segments, { index, similarity });
  const squares = weighing.node(root, 1);
  const queryNorm = similarity.normsQueries && squares > 0 ? 1 / Math.sqrt(squares) : 1;
  return { root, similarity, fields: weighing.fields, queryNorm };
}

export const isHost = ({ term }: FilterLeaf): boolean => term.startsWith(HOST_FILTER);

/** Whether a node contributes to the score. */
export function isScoring(node: PlanNode): boolean {
  if (node.kind === 'boolean')
    return node.clauses.some(({ occur, node: inner }) => occur !== 'must_not' && isScoring(inner));
  return node.kind === 'filter' ? isHost(node) : node.kind !== 'days';
}

/** The factor for a document by the number of clauses that it matches. */
export const coordOf = ({ normsQueries }: Similarity, matching: number, clauses: number): number =>
  normsQueries ? matching / clauses : 1;

/** The name of a leaf in a field, as in Lucene. */
export function labelOf(leaf: WeighedLeaf, field: number, alternative = 0): string {
  if (leaf.kind === 'filter') return leaf.term;
  const name = searchFields[field]!;
  if (leaf.kind === 'prefix') return `${name}:${leaf.prefixes[0]}*`;
  if (leaf.kind === 'term') {
    const terms = leaf.terms.map((term) => `${name}:${term}`).join(' ');
    return leaf.terms.length > 1 ? `Synonym(${terms})` : terms;
  }
  const words = leaf.alternatives[alternative]!.map(({ term }) => term).join(' ');
  return `${name}:"${words}"${leaf.slop > 0 ? `~${leaf.slop}` : ''}`;
}

function countedTerms(leaf: PlanLeaf): readonly string[] {
  if (leaf.kind === 'phrase') return leaf.alternatives.flatMap((words) => words.map(({ term }) => term));
  return leaf.kind === 'term' ? leaf.terms : [];
}

/** Document frequency of a term by field. */
function documentsWith(term: string, segments: readonly SearchedSegment[]): Uint32Array {
  const counts = new Uint32Array(FIELDS);
  for (const { postings } of segments) {
    const termPostings = postings.get(term);
    if (!termPostings) continue;
    const cursor = new PostingCursor(termPostings.post);
    while (cursor.next()) {
      if (cursor.hasOthers) cursor.frequencies.forEach((frequency, field) => frequency > 0 && counts[field]!++);
      else counts[CONTENT]!++;
    }
  }
  return counts;
}

class Weighing {
  readonly fields = new Map<WeighedLeaf, readonly WeighedField[]>();
  private readonly collections: readonly Collection[];
  private readonly index: SearchedIndex;
  private readonly similarity: Similarity;

  constructor(
    private readonly counts: ReadonlyMap<string, Uint32Array>,
    segments: readonly SearchedSegment[],
    { index, similarity }: { index: SearchedIndex; similarity: Similarity },
  ) {
    this.index = index;
    this.similarity = similarity;
    const { documents, averages } = index.statistics;
    this.collections = searchFields.map((_, field) => {
      const docCount = segments.reduce((sum, { columns }) => sum + documentsOf(columns)[field]!, 0);
      return { documents, docCount, averageLength: (averages[field]! * documents) / Math.max(1, docCount) };
    });
  }

  /** @returns the sum of the squares of its weights */
  node(node: PlanNode, boost: number): number {
    if (node.kind === 'boolean') {
      return node.clauses.reduce((sum, { occur, node: inner }) => {
        const squares = this.node(inner, boost * node.weight);
        return occur === 'must_not' ? sum : sum + squares;
      }, 0);
    }
    if (node.kind === 'days' || (node.kind === 'filter' && !isHost(node))) return 0;
    const fields = searchedFields(node, this.index.weights).map(({ field, weight }): WeighedField => {
      const fieldBoost = boost * weight;
      return { field, boost: fieldBoost, weights: this.weights(node, field, fieldBoost) };
    });
    this.fields.set(node, fields);
    return fields.reduce((sum, field) => sum + squareOf(field), 0);
  }

  private weights(leaf: WeighedLeaf, field: number, boost: number): TermWeight[] {
    if (leaf.kind === 'prefix') return [];
    if (leaf.kind === 'phrase') return leaf.alternatives.map((_, at) => this.phrase(leaf, at, { field, boost }));
    const { documents } = this.collections[field]!;
    const docFreq = leaf.kind === 'filter' ? this.index.df(leaf.term) : this.sumOf(leaf, field);
    return [
      this.similarity.weigh(
        {
          field: searchFields[field]!,
          label: labelOf(leaf, field),
          terms: leaf.kind === 'filter' ? [leaf.term] : leaf.terms,
          docFreqs: [Math.min(docFreq, documents)],
          isPhrase: false,
          boost,
        },
        this.collections[field]!,
      ),
    ];
  }

  private phrase(
    leaf: PhraseLeaf,
    alternative: number,
    { field, boost }: { field: number; boost: number },
  ): TermWeight {
    const terms = leaf.alternatives[alternative]!.map(({ term }) => term);
    const docFreqs = terms.map((term) => this.counts.get(term)![field]!);
    const label = labelOf(leaf, field, alternative);
    return this.similarity.weigh(
      { field: searchFields[field]!, label, terms, docFreqs, isPhrase: true, boost },
      this.collections[field]!,
    );
  }

  /** A word has a term in each language; a document is matched by that of its language. */
  private sumOf({ terms }: TermLeaf, field: number): number {
    const { docCount } = this.collections[field]!;
    return Math.min(
      docCount,
      terms.reduce((sum, term) => sum + this.counts.get(term)![field]!, 0),
    );
  }
}

function searchedFields(leaf: WeighedLeaf, weights: readonly number[]): { field: number; weight: number }[] {
  if (leaf.kind === 'filter') return [{ field: HOST, weight: 1 }];
  if (leaf.field !== null) return [{ field: leaf.field, weight: leaf.weight }];
  return weights.flatMap((weight, field) => (weight > 0 ? [{ field, weight: weight * leaf.weight }] : []));
}

/** Among the alternatives of a phrase, a document is matched by that of its language. */
const squareOf = ({ boost, weights }: WeighedField): number =>
  weights.length === 0 ? boost ** 2 : Math.max(...weights.map(({ squaredWeight }) => squaredWeight));

const counted = new WeakMap<SegmentColumns, Uint32Array>();

/** Number of documents of a segment with each field. */
function documentsOf(columns: SegmentColumns): Uint32Array {
  const known = counted.get(columns);
  if (known) return known;
  const counts = Uint32Array.from(columns.lengths, (lengths) =>
    lengths.reduce((sum, fieldLength) => sum + (fieldLength > 0 ? 1 : 0), 0),
  );
  counted.set(columns, counts);
  return counts;
}
