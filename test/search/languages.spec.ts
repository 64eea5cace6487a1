import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import type { SearchResult } from '../../src/core/search/search-request.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** Queries for words whose form in the index depends on the language of a page. */

const CRAWL = 1;
let db: TestDatabase;
let searcher: Searcher;

const page = (id: string, lang: string, content: string): IndexDocument => ({
  id,
  url: `http://h.test/${id}`,
  boost: 1,
  fields: new Map([
    ['content', [content]],
    ['lang', [lang]],
  ]),
  fieldBoosts: new Map(),
});

beforeAll(async () => {
  db = await testDatabase();
  const writer = new PostgresIndexWriter(db.pool, CRAWL);
  await writer.write([
    page('sv1', 'sv', 'Den gamla ångbåten gick över sjön till ängarna'),
    page('sv2', 'sv', 'En angel med många krokar'),
    page('hu', 'hu', 'Az őrült ötlet egy űrhajó'),
    page('es', 'es', 'Los ñandúes y los niños'),
    page('de', 'de', 'Die Größe der Straßen'),
    page('tr', 'tr', 'IŞIKLAR ve İSTANBUL'),
    ...Array.from({ length: 2 }, (_, n) =>
      page(`sv${n + 3}`, 'sv', `Hundarna springer ångström, fågel och smörgås ${n}`),
    ),
    page('en1', 'en', 'Some running shoes'),
    page('en2', 'en', 'Angles of a triangle'),
  ]);
  await writer.commit();
  searcher = new Searcher(db.pool, 1_000_000);
});
afterAll(() => db.drop());

const search = (query: string): Promise<SearchResult> => searcher.search({ ...SEARCH_DEFAULTS, crawl: CRAWL, query });
const found = async (query: string): Promise<string[]> => (await search(query)).hits.map(({ id }) => id).sort();

describe('a prefix', () => {
  // English has no å: there, ångström is angstrom.
  it.each([
    ['ång*', ['en2', 'sv1', 'sv2', 'sv3', 'sv4']],
    ['ÄNGA*', ['sv1']],
    ['ang*', ['en2', 'sv2']],
    ['ör*', []],
    ['őrü*', ['hu']],
    ['űr*', ['hu']],
    ['ñand*', ['es']],
    ['größ*', ['de']],
    ['strass*', ['de']],
    ['ışı*', ['tr']],
    ['IŞI*', ['tr']],
    ['ist*', ['tr']],
  ])('%s finds the words that begin so, with the letters of their language', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  it('has the words before it in any of their forms', async () => {
    expect(await found('+runs-sho*')).toEqual(['en1']);
  });
});

describe('a prefix of more words than a search takes', () => {
  const OTHER = 2;
  const words = Array.from({ length: 70 }, (_, n) => `quay${String.fromCharCode(97 + (n % 7), 97 + n / 7)}z`);
  const searchOther = (query: string) => searcher.search({ ...SEARCH_DEFAULTS, crawl: OTHER, query });
  beforeAll(async () => {
    const writer = new PostgresIndexWriter(db.pool, OTHER);
    await writer.write(words.map((word, n) => page(`q${n}`, 'la', word)));
    await writer.commit();
  });

  it('finds pages with some of them, and the answer says so', async () => {
    expect(await searchOther('quay*')).toMatchObject({
      total: 64,
      isExact: false,
      notes: ['Of the words that begin with "quay" only the most frequent were searched for.'],
    });
  });

  it.each([
    ['quaya*', 10],
    ['quayaaz', 1],
    ['nothing*', 0],
  ])('is not %s', async (query, total) => {
    expect(await searchOther(query)).toMatchObject({ total, isExact: true, notes: [] });
  });
});

describe('did you mean', () => {
  it('has the letters of the language of the query', async () => {
    expect((await search('ånström')).didYouMean).toBe('ångström');
    expect((await search('Fågle')).didYouMean).toBe('fågel');
  });

  it.each(['ångström', 'Smörgås', 'örült', 'őrült', 'ñandúes', 'IŞIKLAR', 'größe'])(
    'is not %s for itself',
    async (word) => {
      expect((await search(word)).didYouMean).toBeNull();
    },
  );
});
