import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type ApiUnderTest, apiUnderTest } from '../api/api-under-test.js';
import { documentsOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { withConformanceFolder } from '../support/left-out.js';

/**
 * Scores that Lucene computed for twenty documents, compared over HTTP with those of the index in PostgreSQL. The documents are
 * written as Lucene's tokens, in a language without stop words and stemming: its tokenizer keeps `keeper's` and
 * `timetable.html` whole, which ours splits, so other characters in a token are spelled out here and in queries. Gaps of stop
 * words are not written: phrases are tested without them.
 */
type Analyzer = 'standard' | 'english';
interface Explained {
  value: number;
  description: string;
  details?: Explained[];
}
interface Hit {
  doc: string;
  score: number;
}
interface LuceneCases {
  tolerance: number;
  documents: { id: string; host: string }[];
  queries: { id: string; kind: string; q: string; parsed: Record<Analyzer, string> }[];
  tokens: Record<Analyzer, { doc: string; field: string; length: number; tokens: [string, number][] }[]>;
  results: Record<string, Record<string, Hit[]>>;
  explain: Record<string, Record<string, { doc: string; explain: Explained }[]>>;
  lucene3: Record<string, { queryNorm: number; hits: Hit[] }>;
}

const [cases] = documentsOf('search') as [LuceneCases] | [];
const queries = cases?.queries ?? [];
const analyzers: Analyzer[] = ['standard', 'english'];

/** A Lucene token as one word of our tokenizer. */
const asWord = (token: string): string => token.replaceAll(/[^\p{L}\p{N}]/gu, 'qq');
/**
 * A query with such words; characters between letters are part of them, except the hyphen, at which Lucene also splits, and
 * hosts.
 */
const asWords = (query: string): string => query.replaceAll(/(?<=\p{L})'(?=\p{L})/gu, 'qq');

function documentsFor(analyzer: Analyzer): IndexDocument[] {
  return (cases?.documents ?? []).map(({ id, host }) => {
    const text = (field: string): string => {
      const found = cases!.tokens[analyzer].find((one) => one.doc === id && one.field === field);
      return (found?.tokens ?? []).map(([token]) => asWord(token)).join(' ');
    };
    const fields = ['title', 'anchor', 'headings', 'content'].map((field): [string, string[]] => [
      field,
      [text(field)],
    ]);
    return {
      id,
      url: text('url'),
      boost: 1,
      fields: new Map([...fields, ['host', [host]], ['lang', ['zxx']]]),
      fieldBoosts: new Map(),
    };
  });
}

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  const others = ['title', 'anchor', 'url', 'host', 'headings'].map((field) => [`search.boost.${field}`, 0]);
  const conf = { configId: 'content', params: Object.fromEntries(others) };
  expect((await request(api.url).post('/config/create').send(conf)).status).toBe(200);
  for (const analyzer of analyzers) {
    const writer = new PostgresIndexWriter(api.database.pool, await crawlNumber(api.database.pool, analyzer));
    await writer.write(documentsFor(analyzer));
    await writer.commit();
  }
});
afterAll(() => api?.close());

/** With this configuration the content is the only default field, as in Lucene. */
async function search(crawlId: Analyzer, similarity: string, q: string, explain = false) {
  const asked = { crawlId, similarity, q, confId: 'content', limit: 100, snippets: 0, explain };
  const { status, body } = await request(api.url).get('/v1/search').query(asked);
  expect(status).toBe(200);
  return body as { total: number; hits: { id: string; score: number; explanation: Explained }[] };
}

/** The expected value if ours is within the tolerance, else ours. */
const near = (ours: number, theirs = NaN): number =>
  Math.abs(ours - theirs) <= cases!.tolerance * Math.abs(theirs) ? theirs : ours;

async function expectHits(found: ReturnType<typeof search>, theirs: readonly Hit[]) {
  const { hits, total } = await found;
  const scores = new Map(theirs.map(({ doc, score }) => [doc, score]));
  const ours = hits.map(({ id, score }) => ({ doc: id, score: near(score, scores.get(id)) }));
  const inOrder = (some: readonly Hit[]) => some.toSorted((a, b) => b.score - a.score || (a.doc < b.doc ? -1 : 1));
  expect(total).toBe(theirs.length);
  expect(inOrder(ours)).toEqual(inOrder(theirs.map(({ doc, score }) => ({ doc, score }))));
  expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
}

describe('similarity=classic equals Lucene 3', () => {
  const rows = queries.flatMap(({ id, kind, q }) => {
    const expected = cases?.lucene3[id];
    return expected ? [{ id, kind, q, ...expected }] : [];
  });

  eachCase(rows)('$id $kind: $q', async ({ q, hits }) => {
    await expectHits(search('standard', 'classic', asWords(q)), hits);
  });

  eachCase(rows)('$id explains its hits with the queryNorm of Lucene: $q', async ({ q, queryNorm }) => {
    const { hits } = await search('standard', 'classic', asWords(q), true);
    for (const { score, explanation } of hits) {
      expect(near(explanation.value, score)).toBe(score);
      const norms = partsOf(explanation).filter(({ description }) => description === 'queryNorm');
      expect(norms.map(({ value }) => near(value, queryNorm))).toEqual(norms.map(() => queryNorm));
      expect(norms).not.toEqual([]);
    }
  });
});

describe.each(analyzers)('similarity=bm25 equals Lucene 8 with the %s analyzer', (analyzer) => {
  // The distance of a sloppy phrase counts the gaps too.
  const rows = queries.filter(({ id }) => analyzer === 'standard' || id !== 'q16');
  const asked = ({ q, parsed }: (typeof queries)[number]) => asWords(analyzer === 'standard' ? q : parsed.english);

  eachCase(rows)('$id $kind: $q', async (query) => {
    await expectHits(search(analyzer, 'bm25', asked(query)), cases!.results[`${analyzer}/bm25`]![query.id]!);
  });

  const explanations = Object.entries(cases?.explain[`${analyzer}/bm25`] ?? {}).flatMap(([id, hits]) =>
    hits.map((hit) => ({ ...queries.find((query) => query.id === id)!, ...hit })),
  );
  eachCase(explanations)('$id explains $doc as Lucene does: $q', async ({ doc, explain, ...query }) => {
    const { hits } = await search(analyzer, 'bm25', asked(query), true);
    expect(nearTree(hits.find(({ id }) => id === doc)!.explanation, explain)).toEqual(explain);
  });
});

const partsOf = (explanation: Explained): Explained[] => [
  explanation,
  ...(explanation.details ?? []).flatMap((one) => partsOf(one)),
];

/** Our tree with values within the tolerance set to the expected ones; a leaf of Lucene has no details. */
function nearTree(ours: Explained, theirs: Explained | undefined): unknown {
  const details = (ours.details ?? []).map((each, at) => nearTree(each, theirs?.details?.[at]));
  return {
    value: near(ours.value, theirs?.value),
    description: ours.description,
    ...(theirs?.details === undefined && details.length === 0 ? {} : { details }),
  };
}

it("the field lengths of the index are Lucene's token counts", withConformanceFolder, async () => {
  const sums = await api.database.query<{ name: string; sums: string[] }>(
    'select c.name, s.sums from search_segment s join crawl c on c.id = s.crawl order by c.name',
  );
  const fields = ['title', 'anchor', 'url', 'headings', 'content'];
  const wordsOf = (analyzer: Analyzer) => (field: string) =>
    cases!.tokens[analyzer].filter((one) => one.field === field).reduce((sum, one) => sum + one.length, 0);
  expect(
    sums.map(({ name, sums: [title, anchor, url, , headings, content] }) => ({
      name,
      words: [title, anchor, url, headings, content],
    })),
  ).toEqual(
    ['english', 'standard'].map((name) => ({ name, words: fields.map(wordsOf(name as Analyzer)).map(String) })),
  );
});
