import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { compress } from '../../src/webpage/compression.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

let api: ApiUnderTest;

const document = (name: string, title: string, content: string, more: Record<string, string> = {}): IndexDocument => ({
  id: `test.site:http/${name}`,
  url: `http://site.test/${name}`,
  boost: 1,
  fields: new Map<string, (string | Date)[]>([
    ['title', [title]],
    ['content', [content]],
    ['lang', [more['lang'] ?? 'en']],
    ['type', [more['type'] ?? 'text/html']],
    ...(more['batchId'] ? [['batchId', [more['batchId']]] as [string, string[]]] : []),
    ...(more['segment'] ? [['segment', [more['segment']]] as [string, string[]]] : []),
    ['tstamp', [new Date('2026-01-31T12:00:00Z')]],
  ]),
  fieldBoosts: new Map(),
});

beforeAll(async () => {
  api = await apiUnderTest();
  const crawl = await crawlNumber(api.database.pool, 'k1');
  await api.database.pool.query(
    `insert into batch (crawl, id, segment, segnum, generated_at, pages) values ($1, $2, $3, 1, now(), 1)`,
    [crawl, '1770000000-17', '20260202024000'],
  );
  const writer = new PostgresIndexWriter(api.database.pool, crawl);
  await writer.write([
    document('ferry', 'Night ferry', 'The ferry to the islands sails at night.'),
    document('train', 'Trains', 'Trains go by day, and there is a ferry behind the station.', {
      batchId: '1770000000-17',
      segment: '20260202024000',
    }),
    // A redirect led to this page.
    {
      ...document('bahn', 'Züge', 'Die Züge fahren am Tag.', { lang: 'de', type: 'application/pdf' }),
      id: 'test.site:http/de/bahn.pdf',
    },
    ...Array.from({ length: 5 }, (_, i) =>
      document(`n${i}`, `Page ${i}`, `${['north', 'south', 'east', 'west', 'home'][i]} of all pages`),
    ),
    ...['', ' again'].map((more) =>
      document(`long${more.trim()}`, 'Tides', `${Array.from({ length: 60 }, (_, i) => `tide${i}`).join(' ')}${more}`),
    ),
  ]);
  await writer.commit();
});
afterAll(() => api?.close());

const search = (query: Record<string, string | number>) => request(api.url).get('/v1/search').query(query);
const names = (body: { hits: { url: string }[] }) => body.hits.map(({ url }) => url.split('/').at(-1));

describe('GET /v1/search', () => {
  it('returns the pages with the words, title matches first', async () => {
    const { status, body } = await search({ q: 'ferries', crawlId: 'k1' });
    expect(status).toBe(200);
    expect(names(body)).toEqual(['ferry', 'train']);
    expect(body).toMatchObject({ total: 2, exact: true, cursor: null, notes: [] });
    expect(body.hits[0]).toMatchObject({
      id: 'test.site:http/ferry',
      title: 'Night ferry',
      host: 'site.test',
      lang: 'en',
      type: 'text/html',
      fetchTime: '2026-01-31T12:00:00.000Z',
    });
  });

  it('gives the URL of the page beside the representative one, as the table knows it', async () => {
    const { body } = await search({ q: 'Züge', crawlId: 'k1' });
    expect(body.hits).toMatchObject([{ url: 'http://site.test/bahn', pageUrl: 'http://site.test/de/bahn.pdf' }]);
  });

  it('is also GET /search, and needs no crawlId when only one crawl has an index', async () => {
    const { body } = await request(api.url).get('/search').query({ q: 'lang:de züge' });
    expect(names(body)).toEqual(['bahn']);
  });

  it('counts facets over all hits, not only those returned', async () => {
    const { body } = await search({ q: 'page OR ferry OR lang:de', facets: 'lang,type', limit: 1 });
    expect(body.facets).toEqual({
      lang: [
        { value: 'en', documents: 7 },
        { value: 'de', documents: 1 },
      ],
      type: [
        { value: 'text/html', documents: 7 },
        { value: 'application/pdf', documents: 1 },
      ],
    });
  });

  it('returns each document once when read by cursor', async () => {
    const all: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await search({ q: 'pages', limit: 2, ...(cursor && { cursor }) });
      expect(body.total).toBe(5);
      all.push(...names(body));
      cursor = body.cursor;
    } while (cursor);
    expect(all.toSorted()).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
  });

  it('returns one of near duplicates with their number', async () => {
    const { body } = await search({ q: 'tides' });
    expect(names(body)).toEqual(['long']);
    expect(body).toMatchObject({ total: 2, cursor: null, hits: [{ duplicates: 1, titleMarks: [[0, 5]] }] });
  });

  it('returns each of near duplicates with collapse=false', async () => {
    const { body } = await search({ q: 'tides', collapse: 'false' });
    expect(body).toMatchObject({ total: 2, hits: [{ duplicates: 0 }, { duplicates: 0 }] });
  });

  it('returns snippets of the stored text with the words marked, none with snippets=0', async () => {
    const text = 'It is dark. The ferry to the islands sails at night.';
    await api.database.pool.query(
      `insert into page_content (crawl, host, key, text) select id, 'test.site', 'test.site:http/ferry', $1 from crawl where name = 'k1'`,
      [compress(text)],
    );
    const { body } = await search({ q: 'islands' });
    const [{ snippets }] = body.hits as [{ snippets: { text: string; marks: [number, number][] }[] }];
    expect(snippets.flatMap(({ text: shown, marks }) => marks.map(([start, end]) => shown.slice(start, end)))).toEqual([
      'islands',
    ]);
    expect((await search({ q: 'islands', snippets: 0 })).body.hits[0].snippets).toEqual([]);
  });

  it('returns snippets of the text below the title', async () => {
    const text = 'Trains\n\nHow they go\nTrains go by day, and there is a ferry behind the station.';
    await api.database.pool.query(
      `insert into page_content (crawl, host, key, text) select id, 'test.site', 'test.site:http/train', $1 from crawl where name = 'k1'`,
      [compress(text)],
    );
    const { body } = await search({ q: 'trains' });
    expect(body.hits[0].snippets).toEqual([
      { text: 'How they go Trains go by day, and there is a ferry behind the station.', marks: [[12, 18]] },
    ]);
  });

  it('returns a hit whose stored text is damaged, without snippets', async () => {
    const stored = await api.database.query<{ key: string; text: Buffer }>('select key, text from page_content');
    await api.database.query(`update page_content set text = '\\x0102'`);
    const { status, body } = await search({ q: 'islands' });
    expect([status, body.hits[0].snippets]).toEqual([200, []]);
    for (const { key, text } of stored)
      await api.database.query('update page_content set text = $2 where key = $1', [key, text]);
  });

  it('explains each score with explain=true', async () => {
    const { body } = await search({ q: 'ferry', explain: 'true' });
    for (const { score, explanation } of body.hits) expect(explanation.value).toBeCloseTo(score, 4);
    expect((await search({ q: 'ferry' })).body.hits[0]).not.toHaveProperty('explanation');
  });

  it('scores and explains as Lucene does with similarity=classic', async () => {
    const { body } = await search({ q: 'ferry islands', similarity: 'classic', explain: 'true', limit: 1 });
    const [{ score, explanation }] = body.hits;
    expect(explanation.value).toBeCloseTo(score, 5);
    // The document contains both words, each in some of the six fields.
    expect(explanation).toMatchObject({
      description: 'sum of:',
      details: [
        { description: 'product of:', details: [{ description: 'sum of:' }, { description: 'coord(3/6)' }] },
        { description: 'product of:', details: [{ description: 'sum of:' }, { description: 'coord(1/6)' }] },
      ],
    });
    const [title] = explanation.details[0].details[0].details;
    expect(title).toMatchObject({
      description: 'weight(Synonym(title:ferri title:ferry) in 0), product of:',
      details: [
        {
          details: [
            { value: 5, description: 'boost' },
            { description: 'idf(docFreq=1, maxDocs=10)' },
            { description: 'queryNorm' },
          ],
        },
        { details: [{ value: 1 }, {}, { value: 0.625, description: 'fieldNorm(field=title, doc=0)' }] },
      ],
    });
  });

  it.each(['la*', 'hos*', 'segm*', 'tit*', 'ty*', 'content:la*', 'lang*'])(
    'does not find all pages that have a language, a host or a title by %s',
    async (q) => {
      const { body } = await search({ q });
      expect([body.total, body.exact, body.notes]).toEqual([0, true, []]);
    },
  );

  it('suggests no filter for a word', async () => {
    for (const q of ['langen', 'typedpdf', 'hostsite']) expect((await search({ q })).body.didYouMean).toBeNull();
  });

  it('names the known similarities when it refuses one', async () => {
    const { body } = await search({ q: 'ferry', similarity: 'tfidf' });
    expect(body.errors[0]).toMatchObject({ field: 'similarity' });
    expect(body.errors[0].message).toMatch(/bm25f, bm25, classic.*tfidf/);
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ facets: 'colour' }, 'facets'],
    [{ cursor: 'x' }, 'cursor'],
    [{ similarity: 'tfidf' }, 'similarity'],
  ])('returns 400 for %j', async (query, field) => {
    const { status, body } = await search({ q: 'ferry', ...query });
    expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
  });

  it('finds only the pages of the batch that segment names, by its id or segment', async () => {
    const urls = async (query: Record<string, string>) =>
      names((await search({ q: 'ferry OR trains', crawlId: 'k1', ...query })).body);
    expect(await urls({ segment: '1770000000-17' })).toEqual(['train']);
    expect(await urls({ segment: '20260202024000' })).toEqual(['train']);
    expect(await urls({ q: 'ferry segment:1770000000-17' })).toEqual(['train']);
    expect(await urls({ segment: '' })).toHaveLength(2);
    const { body } = await search({ q: 'night OR ferry', crawlId: 'k1', segment: '1770000000-17' });
    expect(body).toMatchObject({ query: '+(night ferry) +segment:1770000000-17', total: 1 });
    const unknown = await search({ q: 'ferry', crawlId: 'k1', segment: '1770000000-18' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'BATCH_UNKNOWN']);
  });

  it('says so when the crawl has no documents in its index', async () => {
    await crawlNumber(api.database.pool, 'empty');
    const { body } = await search({ q: 'ferry', crawlId: 'empty' });
    expect(body).toMatchObject({
      total: 0,
      notes: ['The built-in index of this crawl has no documents: INDEX writes them.'],
    });
  });

  it.each([
    ['headings:ferry', ['headings']],
    ['ferry OR (anchor:night -headings:"ferry by night")', ['anchor', 'headings']],
    ['title:ferry content:night', []],
  ])('%s: names the fields in which no document has words, and what fills them: %j', async (q, fields) => {
    const { notes } = (await search({ q, crawlId: 'k1' })).body as { notes: string[] };
    expect(notes.map((note) => /^No document has words in the field (\w+): .+\.$/.exec(note)?.[1])).toEqual(fields);
  });

  it('returns 404 for an unknown crawl', async () => {
    const { status, body } = await search({ q: 'ferry', crawlId: 'none' });
    expect([status, body.code]).toEqual([404, 'CRAWL_UNKNOWN']);
  });

  it.each(['', '"', '((((', 'a'.repeat(9_000), '\ud800 *', '-ferry', 'site:', '+', 'date:x..y'])(
    'returns 200 for any query text: %j',
    async (q) => {
      const { status, body } = await search({ q });
      expect([status, body.exact]).toEqual([200, true]);
    },
  );
});
