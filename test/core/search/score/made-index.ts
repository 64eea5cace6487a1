/** Small in-memory indexes, searched by the code under test. */
import type { IndexDocument } from '../../../../src/core/indexing/index-document.js';
import { tokensOf } from '../../../../src/core/search/analysis/analyze.js';
import { fingerprints } from '../../../../src/core/search/collapse-hits.js';
import { SegmentBuilder } from '../../../../src/core/search/postings/segment-builder.js';
import { searchedDocument } from '../../../../src/core/search/postings/searched-document.js';
import { sumsOf } from '../../../../src/core/search/postings/segment-columns.js';
import { parseQuery } from '../../../../src/core/search/query/parse-query.js';
import { statisticsOf } from '../../../../src/core/search/score/bm25f.js';
import { bm25fRanking } from '../../../../src/core/search/score/ranking.js';
import { leavesOf, planQuery, prefixRanges } from '../../../../src/core/search/score/query-plan.js';
import {
  type SearchedIndex,
  type SearchedSegment,
  scoreOf,
  searchSegment,
} from '../../../../src/core/search/score/segment-search.js';

export interface Page {
  title?: string;
  anchor?: string[];
  headings?: string[];
  content?: string;
  url?: string;
  lang?: string;
  type?: string;
  date?: string;
  /** The name of its segment and the id of its batch. */
  batch?: [segment: string, id: string];
  boost?: number;
  titleBoost?: number;
}

export const WEIGHTS = [5, 3, 1.5, 1.5, 2, 1];
export const BM25 = { k1: 1.2, b: 0.75 };

export const documentOf = (page: Page, at: number): IndexDocument => ({
  id: `d${at}`,
  url: page.url ?? `http://h.test/${at}`,
  boost: page.boost ?? 1,
  fields: new Map(
    Object.entries({
      title: [page.title ?? ''],
      anchor: page.anchor ?? [],
      headings: page.headings ?? [],
      content: [page.content ?? ''],
      lang: page.lang === undefined ? [] : [page.lang],
      type: page.type === undefined ? [] : [page.type],
      date: page.date === undefined ? [] : [page.date],
      segment: page.batch?.slice(0, 1) ?? [],
      batchId: page.batch?.slice(1) ?? [],
    }),
  ),
  fieldBoosts: new Map(page.titleBoost === undefined ? [] : [['title', page.titleBoost]]),
});

export class MadeIndex {
  readonly segments: SearchedSegment[];
  readonly index: SearchedIndex;
  private readonly languages: (string | null)[];

  /** @param parts pages of each segment */
  constructor(parts: readonly (readonly Page[])[]) {
    const df = new Map<string, number>();
    let at = 0;
    const built = parts.map((pages) => {
      const builder = new SegmentBuilder(tokensOf, fingerprints);
      for (const page of pages) Array.from(builder.add(searchedDocument(documentOf(page, at++))));
      return builder.build();
    });
    this.segments = built.map(({ columns, live, terms }) => {
      const postings = new Map<string, { post: Uint8Array; pos: Uint8Array }>();
      for (const { term, df: count, post, pos } of terms) {
        postings.set(term, { post, pos });
        df.set(term, (df.get(term) ?? 0) + count);
      }
      return { columns, live, postings };
    });
    const states = built.map(({ columns }) => ({ documents: columns.size, sums: sumsOf(columns) }));
    this.index = { statistics: statisticsOf(states), weights: WEIGHTS, bm25: BM25, df: (term) => df.get(term) ?? 0 };
    this.languages = [...new Set(parts.flat().map(({ lang }) => lang ?? null))];
  }

  plan(query: string) {
    const plan = planQuery(query, parseQuery(query), {
      languages: this.languages,
      mergesWords: true,
      findsTitles: true,
    });
    for (const leaf of leavesOf(plan.root)) {
      if (leaf.kind !== 'prefix') continue;
      const all = new Set(this.segments.flatMap(({ postings }) => [...postings.keys()]));
      for (const { from, to } of prefixRanges(leaf.prefixes))
        leaf.terms.push(...[...all].filter((term) => term >= from && term < to));
    }
    return plan;
  }

  /** Scores of the documents that match, by their number over all segments, without what they gain by proximity. */
  search(query: string): Map<number, number> {
    const plan = this.plan(query);
    return this.bySegment((segment) => {
      const found = ended(searchSegment(plan, segment, this.index));
      return [...found.matches].map((flag, doc) => (flag === 1 ? scoreOf(found, doc) : undefined));
    });
  }

  /** What documents gain by words that stand near each other, before title and prior, were all of them the first ones. */
  gains(query: string): Map<number, number> {
    const { proximity } = bm25fRanking(this.plan(query), this.index);
    return this.bySegment((segment) => {
      const docs = Array.from({ length: segment.columns.size }, (_, doc) => doc);
      return proximity === null ? [] : ended(proximity.gains(segment, docs));
    });
  }

  /** Of the documents of all segments; undefined: it is left out. */
  private bySegment(valuesOf: (segment: SearchedSegment) => readonly (number | undefined)[]): Map<number, number> {
    const found = new Map<number, number>();
    let first = 0;
    for (const segment of this.segments) {
      for (const [doc, value] of valuesOf(segment).entries()) if (value !== undefined) found.set(first + doc, value);
      first += segment.columns.size;
    }
    return found;
  }

  /** Numbers of the documents that match, the best first. */
  order(query: string): number[] {
    return [...this.search(query)].sort(([a, x], [b, y]) => y - x || a - b).map(([doc]) => doc);
  }

  matching(query: string): number[] {
    return [...this.search(query).keys()].sort((a, b) => a - b);
  }

  /** @param isFirst whether it is one of those whose score has what they gain by proximity */
  explain(query: string, doc: number, isFirst = false) {
    let [first, at] = [0, 0];
    while (doc >= first + this.segments[at]!.columns.size) first += this.segments[at++]!.columns.size;
    return bm25fRanking(this.plan(query), this.index).explain(this.segments[at]!, doc - first, isFirst);
  }
}

function ended<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
