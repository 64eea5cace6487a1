import { describe, expect, it } from 'vitest';
import type { ParsedQuery, QueryNode } from '../../../../src/core/search/query.js';
import { parseQuery } from '../../../../src/core/search/query/parse-query.js';
import { bm25Similarity } from '../../../../src/core/search/similarity/bm25.js';
import { classicSimilarity } from '../../../../src/core/search/similarity/classic.js';
import type { Explanation } from '../../../../src/core/search/similarity/explanation.js';
import { lucene3Similarity } from '../../../../src/core/search/similarity/lucene3.js';
import { phraseFrequency } from '../../../../src/core/search/similarity/phrase-frequency.js';
import {
  type Occurrences,
  QueryScorer,
  type ScoredQuery,
} from '../../../../src/core/search/similarity/scored-query.js';
import type { Similarity } from '../../../../src/core/search/similarity/similarity.js';
import { storedLength, storedNorm } from '../../../../src/core/search/similarity/stored-norm.js';
import { documentsOf, hasConformance } from '../../../support/conformance.js';
import { eachCase } from '../../../support/each-case.js';
import { withConformanceFolder } from '../../../support/left-out.js';
import { type LuceneToken, englishTokens, standardTokens } from '../../../support/lucene-analyzers.js';

/** Numbers that Lucene 8.7 made of twenty documents, and what Lucene 3 made of them by its documents. */
type Analyzer = 'standard' | 'english';
type Field = 'title' | 'anchor' | 'url' | 'host' | 'headings' | 'content';

interface LuceneCases {
  tolerance: number;
  stopWords: string[];
  lengthTable: number[];
  documents: ({ id: string } & Record<Field, string | string[]>)[];
  queries: { id: string; kind: string; q: string }[];
  statistics: Record<Analyzer, Record<Field, { docCount: number; sumTotalTermFreq: number }>>;
  tokens: Record<
    Analyzer,
    { doc: string; field: Field; length: number; storedLength: number; tokens: LuceneToken[] }[]
  >;
  results: Record<string, Record<string, { doc: string; score: number }[]>>;
  explain: Record<string, Record<string, { doc: string; explain: Explanation }[]>>;
  lucene3: Record<string, { queryNorm: number; hits: { doc: string; score: number; exactNorm: number }[] }>;
}

const [cases] = documentsOf('search') as [LuceneCases] | [];
const stopWords = new Set(cases?.stopWords);
const fields: Field[] = ['title', 'anchor', 'url', 'host', 'headings', 'content'];
const analyzers = ['standard', 'english'] as const;

function tokensOf(analyzer: Analyzer, field: Field, text: string): LuceneToken[] {
  if (field === 'host') return [[text, 0]];
  return analyzer === 'english' && field !== 'url' ? englishTokens(text, stopWords) : standardTokens(text);
}

/** Values of a field stand one behind the other; the holes of stop words count at their places. */
function fieldTokens(analyzer: Analyzer, field: Field, values: string[]): LuceneToken[] {
  let from = 0;
  return values.flatMap((value) => {
    const tokens = tokensOf(analyzer, field, value).map(([term, position]): LuceneToken => [term, from + position]);
    from += field === 'host' ? 1 : standardTokens(value).length;
    return tokens;
  });
}

/** The twenty documents, indexed. */
class Index {
  readonly tokens: Map<Field, LuceneToken[]>[];

  constructor(readonly analyzer: Analyzer) {
    this.tokens = (cases?.documents ?? []).map(
      (document) => new Map(fields.map((field) => [field, fieldTokens(analyzer, field, [document[field]].flat())])),
    );
  }

  docFreq(field: Field, term: string): number {
    return this.tokens.filter((of) => of.get(field)!.some(([each]) => each === term)).length;
  }

  collectionOf(field: Field) {
    const lengths = this.tokens.map((of) => of.get(field)!.length).filter((length) => length > 0);
    const sumTotalTermFreq = lengths.reduce((sum, length) => sum + length, 0);
    return { documents: this.tokens.length, field: { docCount: lengths.length, sumTotalTermFreq } };
  }

  /** What a document has of a leaf whose words stand at the offsets of its label. */
  occurrences(doc: number): Occurrences {
    return (leaf) => {
      const field = leaf.field as Field;
      const tokens = this.tokens[doc]!.get(field)!;
      const { words, prefix, slop } = shapes.get(leaf.label)!;
      const positions = (term: string) => tokens.filter(([each]) => each === term).map(([, position]) => position);
      const freq =
        prefix === undefined
          ? phraseFrequency(
              words.map(([term, offset]) => ({ offset, positions: positions(term) })),
              slop,
            )
          : tokens.filter(([term]) => term.startsWith(prefix)).length;
      return freq === 0 ? null : { freq, length: field === 'host' ? null : tokens.length, boost: 1, doc };
    };
  }
}

interface Shape {
  words: LuceneToken[];
  prefix?: string;
  slop: number;
}
const shapes = new Map<string, Shape>();

/** A query as Lucene would make it of ours: a word that is none in the language goes. */
function scoredQuery({ root }: ParsedQuery, analyzer: Analyzer, isFlat: boolean): ScoredQuery {
  const leaf = (field: string, label: string, shape: Shape, boost = 1): ScoredQuery => {
    shapes.set(`${field}:${label}`, shape);
    return { kind: 'leaf', field, terms: shape.words.map(([term]) => term), label: `${field}:${label}`, boost };
  };
  const ofNode = (node: QueryNode): ScoredQuery[] => {
    if (node.kind === 'boolean') return [ofBoolean(node)];
    if (node.kind === 'filter') return [leaf(node.name, node.value, { words: [[node.value, 0]], slop: 0 })];
    const { kind, text, field: own, boost, slop = 0 } = node;
    const field = own ?? 'content';
    if (kind === 'prefix') return [leaf(field, `${text}*`, { words: [], prefix: text, slop }, boost)];
    const words = tokensOf(analyzer, field as Field, text);
    if (kind === 'phrase' && words.length > 1) {
      const label = `"${words.map(([term]) => term).join(' ')}"${slop > 0 ? `~${slop}` : ''}`;
      return [leaf(field, label, { words, slop }, boost)];
    }
    return words.map(([term]) => leaf(field, term, { words: [[term, 0]], slop: 0 }, boost));
  };
  const ofBoolean = ({ clauses, boost = 1 }: Extract<QueryNode, { kind: 'boolean' }>): ScoredQuery => ({
    kind: 'boolean',
    boost,
    clauses: clauses.flatMap(({ occur, node }) =>
      ofNode(node).flatMap((query) => {
        // Lucene 8 takes alternatives out of brackets.
        const isTaken = isFlat && occur === 'should' && query.kind === 'boolean';
        return isTaken ? query.clauses : [{ occur, query }];
      }),
    ),
  });
  const query = ofBoolean(root) as Extract<ScoredQuery, { kind: 'boolean' }>;
  const [first] = query.clauses;
  return query.clauses.length === 1 && first!.occur !== 'must_not' ? first!.query : query;
}

interface Hit {
  doc: string;
  score: number;
}

function search(q: string, analyzer: Analyzer, similarity: Similarity, isFlat = true) {
  const index = new Index(analyzer);
  const statistics = {
    collectionOf: (field: string) => index.collectionOf(field as Field),
    docFreq: (field: string, term: string) => index.docFreq(field as Field, term),
  };
  const scorer = new QueryScorer(scoredQuery(parseQuery(q), analyzer, isFlat), statistics, similarity);
  const hits = (cases?.documents ?? []).flatMap(({ id }, doc): Hit[] => {
    const score = scorer.score(index.occurrences(doc));
    return score === null ? [] : [{ doc: id, score }];
  });
  const explain = (id: string) =>
    scorer.explain(index.occurrences(cases!.documents.findIndex((each) => each.id === id)));
  return { hits: hits.sort((a, b) => b.score - a.score), explain };
}

const close = (ours: number, theirs: number) =>
  Math.abs(ours - theirs) <= (cases?.tolerance ?? 0) * Math.max(1, Math.abs(theirs)) ? theirs : ours;

function expectHits(ours: readonly Hit[], theirs: readonly Hit[]) {
  const byId = (hits: readonly Hit[]) => hits.toSorted((a, b) => (a.doc < b.doc ? -1 : 1));
  const near = new Map(theirs.map(({ doc, score }) => [doc, score]));
  expect(byId(ours).map(({ doc, score }) => ({ doc, score: close(score, near.get(doc) ?? NaN) }))).toEqual(
    byId(theirs).map(({ doc, score }) => ({ doc, score })),
  );
  const scores = ours.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
}

const similarities: Record<string, Similarity> = { bm25: bm25Similarity, classic: classicSimilarity };
const queries = cases?.queries ?? [];

describe.each(analyzers)('Lucene, with the %s analyzer', (analyzer) => {
  it('has these tokens', withConformanceFolder, () => {
    const index = new Index(analyzer);
    for (const { doc, field, tokens, length } of cases!.tokens[analyzer]) {
      const ours = index.tokens[cases!.documents.findIndex(({ id }) => id === doc)]!.get(field)!;
      expect({ doc, field, tokens: ours, length: ours.length }).toEqual({ doc, field, tokens, length });
    }
  });

  it('has these statistics', withConformanceFolder, () => {
    const index = new Index(analyzer);
    for (const field of fields)
      expect(index.collectionOf(field).field).toMatchObject(pick(cases!.statistics[analyzer][field]));
  });

  describe.each(Object.keys(similarities))('scored by %s', (name) => {
    eachCase(queries)('$id $kind: $q', ({ id, q }) => {
      const { hits } = search(q, analyzer, similarities[name]!);
      expectHits(hits, cases!.results[`${analyzer}/${name}`]![id]!);
    });

    const explanations = Object.entries(cases?.explain[`${analyzer}/${name}`] ?? {}).flatMap(([id, hits]) =>
      hits.map((hit) => ({ id, q: queries.find((query) => query.id === id)!.q, ...hit })),
    );
    eachCase(explanations)('$id explains $doc: $q', ({ q, doc, explain }) => {
      const ours = search(q, analyzer, similarities[name]!).explain(doc);
      expect(near(ours!, explain)).toEqual(explain);
    });
  });
});

const pick = ({ docCount, sumTotalTermFreq }: { docCount: number; sumTotalTermFreq: number }) => ({
  docCount,
  sumTotalTermFreq,
});

/** Ours, with the values that are within the tolerance of theirs set to theirs; a leaf of theirs has no details. */
function near(ours: Explanation, theirs: Explanation | undefined): unknown {
  const details = ours.details.map((each, at) => near(each, theirs?.details?.[at]));
  return {
    value: close(ours.value, theirs?.value ?? NaN),
    description: ours.description,
    ...(theirs?.details === undefined && details.length === 0 ? {} : { details }),
  };
}

describe('Lucene 3, with coord and queryNorm', () => {
  const rows = Object.entries(cases?.lucene3 ?? {})
    .filter(([id]) => queries.some((query) => query.id === id))
    .map(([id, expected]) => ({ id, q: queries.find((query) => query.id === id)!.q, ...expected }));

  eachCase(rows)('$id: $q', ({ q, hits }) => {
    expectHits(search(q, 'standard', lucene3Similarity(true), false).hits, hits);
  });

  eachCase(rows)('$id with norms as they are: $q', ({ q, hits }) => {
    const exact = hits.map(({ doc, exactNorm }) => ({ doc, score: exactNorm }));
    expectHits(search(q, 'standard', lucene3Similarity(false), false).hits, exact);
  });

  it('explains queryNorm and coord', withConformanceFolder, () => {
    const explanation = search('ferry timetable', 'standard', lucene3Similarity(true), false).explain('d01');
    expect(explanation).toMatchObject({
      description: 'product of:',
      details: [
        {
          description: 'sum of:',
          details: [
            {
              description: 'weight(content:ferry in 0), product of:',
              details: [
                {
                  description: 'queryWeight(content:ferry), product of:',
                  details: [{ description: 'idf(docFreq=9, maxDocs=20)' }, { description: 'queryNorm' }],
                },
                {
                  description: 'fieldWeight(content:ferry in 0), product of:',
                  details: [
                    { description: 'tf(termFreq=3.0)' },
                    { description: 'idf(docFreq=9, maxDocs=20)' },
                    { description: 'fieldNorm(doc=0)', value: 0.1875 },
                  ],
                },
              ],
            },
          ],
        },
        { value: 0.5, description: 'coord(1/2)' },
      ],
    });
  });
});

describe('a length in a byte', () => {
  eachCase((cases?.lengthTable ?? []).map((length) => ({ length })))('$length stays $length', ({ length }) => {
    expect(storedLength(length)).toBe(length);
  });

  it.each([
    [41, 40],
    [43, 42],
    [59, 56],
    [1_000, 984],
  ])('%s becomes %s', (length, stored) => {
    expect(storedLength(length)).toBe(stored);
  });

  it('lies between those of the table, whatever the length', withConformanceFolder, () => {
    const table = cases!.lengthTable;
    for (let length = 0; length < 5_000; length++) {
      expect(storedLength(length)).toBe(table.findLast((each) => each <= length));
    }
  });

  it.each([
    [1, 1],
    [0.3, 0.25],
    [0.213201, 0.1875],
    [0.0001, 0.00009155273437500001],
    [0, 0],
    [-1, 0],
    [1e-30, 1.25 * 2 ** -31],
    [1e30, 1.75 * 2 ** 32],
  ])('a norm of %s becomes %s', (norm, stored) => {
    expect(storedNorm(norm)).toBeCloseTo(stored, 12);
  });
});

it('the cases are read', withConformanceFolder, () => {
  expect(hasConformance && queries).toHaveLength(32);
});
