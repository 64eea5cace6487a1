import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { lockIndex } from '../../src/search/segment-writing.sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** The index in PostgreSQL: after writes, replacements, deletions and merges, searches return the same as after one write. */

const CRAWL = 1;
const REQUEST = {
  ...SEARCH_DEFAULTS,
  crawl: CRAWL,
  facets: ['host'],
  expand: 'auto',
  collapse: true,
} as const;

let db: TestDatabase;
let searcher: Searcher;

beforeAll(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  for (const table of ['search_segment', 'search_posting', 'search_stored', 'search_doc'])
    await db.query(`delete from ${table}`);
  searcher = new Searcher(db.pool, 1_000_000);
});
afterAll(() => db.drop());

const page = (id: string, content: string, title = `page ${id}`, language = 'en'): IndexDocument => ({
  id,
  url: `http://site.test/${id}`,
  boost: 1,
  fields: new Map([
    ['title', [title]],
    ['content', [content]],
    ['lang', [language]],
  ]),
  fieldBoosts: new Map(),
});

/** A writer whose segments have at most that many documents. */
const writerOf = (maxDocuments: number, crawl = CRAWL) =>
  new PostgresIndexWriter(db.pool, crawl, { maxDocuments, maxBytes: 1e9 });

it('the end of close() is the end of all writes: a transaction that is running is completed before', async () => {
  const writer = writerOf(1_000);
  await writer.write([page('a', 'alpha')]);
  const client = await db.pool.connect();
  await client.query('begin');
  await lockIndex(client, CRAWL);
  const states: string[] = [];
  const flushed = writer.flush().finally(() => states.push('flushed'));
  const closed = writer.close().finally(() => states.push('closed'));
  // As long as the lock is taken, neither can end.
  await db.query('select 1');
  expect(states).toEqual([]);
  await client.query('commit');
  client.release();
  await Promise.all([flushed, closed]);
  expect(states).toEqual(['flushed', 'closed']);
  await expect(writer.write([page('b', 'beta')])).rejects.toThrow();
  expect(await db.query('select documents from search_segment')).toEqual([{ documents: 1 }]);
});

async function written(documents: readonly IndexDocument[], maxDocuments = 1_000): Promise<PostgresIndexWriter> {
  const writer = writerOf(maxDocuments);
  await writer.write(documents);
  await writer.commit();
  return writer;
}

/** The pool, with something done before each statement, those that begin and end transactions included. */
function interruptedPool(before: () => Promise<void>): Pool {
  const interrupted = <T extends object>(sender: T, more: Partial<Record<PropertyKey, unknown>>): T =>
    new Proxy(sender, {
      get(target, key) {
        if (key in more) return more[key];
        const value: unknown = Reflect.get(target, key);
        if (key !== 'query') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        return async (...words: unknown[]) => {
          await before();
          return Reflect.apply(value as () => unknown, target, words);
        };
      },
    });
  return interrupted<Pool>(db.pool, { connect: async () => interrupted(await db.pool.connect(), {}) });
}

const search = (query: string, limit = 100) => searcher.search({ ...REQUEST, query, limit });
const found = async (query: string) => (await search(query)).hits.map(({ id }) => id);
/** The hits of a search with scores, without their position in segments. */
const scored = async (query: string) =>
  (await search(query)).hits
    .map(({ id, score, title, url }) => ({ id, score: Math.fround(score), title, url }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
const segments = () =>
  db.query<{ documents: number; live: number }>(
    'select documents, live_documents as live from search_segment order by seg',
  );

describe('a document in the index', () => {
  it('is found after the commit, with URL, title and language', async () => {
    const writer = writerOf(10);
    await writer.write([page('a', 'a ferry to the islands', 'The ferry')]);
    expect(await found('ferry')).toEqual([]);
    await writer.commit();
    const { hits, total } = await search('ferry');
    expect(hits).toMatchObject([{ id: 'a', url: 'http://site.test/a', title: 'The ferry', language: 'en' }]);
    expect(total).toBe(1);
  });

  it('has its highlights at the words of the title, whatever blanks are between them', async () => {
    await written([page('a', 'text', '  The\n\n night\t ferry \u0001 ')]);
    const [hit] = (await search('ferry')).hits;
    const marked = hit!.titleMarks.map(([start, end]) => hit!.title.slice(start, end));
    expect([hit!.title, marked]).toEqual(['The night ferry', ['ferry']]);
  });

  it('whose language an indexing filter did not find has that of its text', async () => {
    const text = 'The ferry to the islands sails at night and returns in the morning with all who have been there.';
    await (await written([page('a', text, 'The ferry', 'unknown')])).commit();
    const { hits } = await searcher.search({ ...REQUEST, query: 'ferry' });
    expect(hits).toMatchObject([{ id: 'a', language: 'en' }]);
  });

  it('is found by an inflected word of its language among documents of other languages', async () => {
    const others = ['en', 'de', 'fr', 'es', 'it', 'pt', 'sv', 'hu'].flatMap((language) =>
      [1, 2, 3].map((n) => page(`${language}${n}`, `${language} ${n}`, 'x', language)),
    );
    await written([...others, page('fi', 'Kaksi kissaa nukkui talossa', 'y', 'fi')]);
    expect(await found('talossa')).toEqual(['fi']);
  });

  it('is found by a query in its language before pages of others that contain its stop words', async () => {
    const others = ['ro', 'ca', 'gl'].flatMap((language) =>
      [1, 2, 3].map((n) =>
        page(`${language}${n}`, `los de la en ${language} ${n} los de la en`, 'los de la en', language),
      ),
    );
    const english = [1, 2, 3, 4].map((n) => page(`en${n}`, `harbour ${n}`, 'x', 'en'));
    await written([...english, ...others, page('es', 'El horario de los barcos en la isla', 'y', 'es')]);
    expect(await found('los barcos de la isla en el horario')).toEqual(['es']);
  });

  it('that is written again replaces the earlier one', async () => {
    await written([page('a', 'ferry'), page('b', 'ferry')]);
    await written([page('a', 'train')]);
    expect(await found('ferry')).toEqual(['b']);
    expect(await found('train')).toEqual(['a']);
    expect(await segments()).toEqual([
      { documents: 2, live: 1 },
      { documents: 1, live: 1 },
    ]);
  });

  it('that is written twice before the commit has its last version', async () => {
    await written([page('a', 'ferry'), page('a', 'train')]);
    expect([await found('ferry'), await found('train')]).toEqual([[], ['a']]);
  });

  it('that is deleted is not found, whether it was committed or not', async () => {
    const writer = await written([page('a', 'ferry'), page('b', 'ferry'), page('c', 'ferry')]);
    await writer.write([page('d', 'ferry')]);
    await writer.delete(['a', 'd', 'none']);
    await writer.commit();
    expect(await found('ferry')).toEqual(['b', 'c']);
  });

  it('provides a spelling suggestion for a rare word, but none for a stop word', async () => {
    await written(['a', 'b', 'c'].map((id) => page(id, 'the width of the harbour')));
    const meant = async (query: string) => (await search(query)).didYouMean;
    expect([await meant('harbuor'), await meant('with'), await meant('harbours')]).toEqual(['harbour', null, null]);
  });

  it('with a title of one word leaves the other words of the query to be corrected if no page has them', async () => {
    const tables = Array.from({ length: 40 }, (_, i) => page(`t${i}`, 'the timetable of the harbour', 'x'));
    await written([page('a', 'it sails', 'Ferry'), page('b', 'it has a timetaple', 'Boat timetaple'), ...tables]);
    const meant = async (query: string) => (await search(query)).didYouMean;
    expect(await meant('ferry timetabel')).toBe('ferry timetable');
    expect(await meant('boat timetaple')).toBe(null);
    expect(await meant('timetaple sails')).toBe('timetable sails');
  });

  it('is separate from a document with the same id in another crawl', async () => {
    await written([page('a', 'ferry')]);
    const other = writerOf(10, 2);
    await other.write([page('a', 'train')]);
    await other.delete(['b']);
    await other.commit();
    expect([await found('ferry'), await found('train')]).toEqual([['a'], []]);
  });

  it('exists once after repeated writes', async () => {
    const documents = Array.from({ length: 20 }, (_, i) => page(`p${i}`, `ferry number ${i}`));
    await written(documents, 7);
    const once = await scored('ferry number');
    for (let again = 0; again < 3; again++) await written(documents, 5);
    expect((await scored('ferry number')).map(({ id }) => id).sort()).toEqual(once.map(({ id }) => id).sort());
    expect(await db.query('select count(*)::int as n from search_doc')).toEqual([{ n: 20 }]);
  });
});

describe('segments of the index', () => {
  const documents = Array.from({ length: 60 }, (_, i) =>
    page(`p${i}`, `ferry ${'train '.repeat(i % 5)} number ${i} "night ${i % 3 === 0 ? 'ferry' : 'boat'}" sails`),
  );
  const queries = ['ferry', 'train night', '"night ferry"', 'numb*', 'site:site.test train', '-train ferry'];
  const answers = async () => {
    const all = [];
    for (const query of queries) all.push(await scored(query));
    return all;
  };

  it('return the same hits and scores after merges as one segment', async () => {
    await written(documents);
    const expected = await answers();
    await db.query('delete from search_segment');
    await written(documents, 4);
    expect((await segments()).length).toBeLessThanOrEqual(8);
    expect(await answers()).toEqual(expected);
  });

  it('omit deleted documents after a merge, and their old rows are deleted', async () => {
    const writer = writerOf(3);
    await writer.write(documents.slice(0, 54));
    await writer.delete(documents.slice(0, 26).map(({ id }) => id));
    await writer.write(documents.slice(54));
    await writer.commit();
    const left = documents.slice(26).map(({ id }) => id);
    expect(await segments()).toEqual([{ documents: left.length, live: left.length }]);
    expect((await found('ferry')).sort()).toEqual(left.sort());
    for (const number of [25, 26, 40, 59])
      expect(await found(`"number ${number}"`)).toEqual(number < 26 ? [] : [`p${number}`]);
    for (const table of ['search_posting', 'search_stored'])
      expect(await db.query(`select from ${table} where seg not in (select seg from search_segment)`)).toEqual([]);
    // search_doc has the position of each document, so a deletion finds it.
    await writer.delete(left);
    expect(await segments()).toEqual([]);
  });

  it('without documents are deleted with their rows', async () => {
    const writer = await written(documents);
    await writer.delete(documents.map(({ id }) => id));
    for (const table of ['search_segment', 'search_posting', 'search_stored', 'search_doc'])
      expect(await db.query(`select from ${table}`)).toEqual([]);
  });

  it('are consistent for readers: each document is found once during writes and merges', async () => {
    await written(documents, 30);
    let isWriting = true;
    const writing = (async () => {
      for (let round = 0; round < 12; round++) await written(documents, 3 + round);
      isWriting = false;
    })();
    const all = documents.map(({ id }) => id).sort();
    let readings = 0;
    while (isWriting || readings < 3) {
      expect((await found('ferry')).sort()).toEqual(all);
      readings++;
    }
    await writing;
  });

  it.each(['ferry night', '"night ferry" numb*', 'trian sails'])(
    'written between two statements of a search (%s) give the answer from before or from after',
    async (query) => {
      const few = documents.slice(0, 30);
      const changed = few.slice(10).map(({ id }, i) => page(id, `train ${'ferry '.repeat(1 + (i % 3))}`, `new ${id}`));
      const write = async () => {
        const writer = await written(changed, 2);
        await writer.delete(few.slice(0, 5).map(({ id }) => id));
      };
      const ask = (by: Searcher) => by.search({ ...REQUEST, query, limit: 100, expand: 'on' });
      for (let at = 0, isThrough = false; !isThrough; at++) {
        await db.query('delete from search_segment');
        await db.query('delete from search_doc');
        await written(few, 10);
        let left = Infinity;
        const beforeStatement = async () => void (left-- === 0 && (await write()));
        const interrupted = new Searcher(interruptedPool(beforeStatement), 1_000_000);
        const before = await ask(interrupted);
        left = at;
        const between = await ask(interrupted);
        isThrough = left >= 0;
        left = Infinity;
        const after = await ask(interrupted);
        expect([JSON.stringify(before), JSON.stringify(after)]).toContain(JSON.stringify(between));
        expect(JSON.stringify(after) === JSON.stringify(before)).toBe(isThrough);
        expect(JSON.stringify(after)).toBe(JSON.stringify(await ask(new Searcher(db.pool, 1_000_000))));
      }
    },
  );

  it('unchanged since the last search are searched in two statements, without a transaction', async () => {
    await written(documents, 30);
    let statements = 0;
    const counted = new Searcher(
      interruptedPool(async () => void statements++),
      1_000_000,
    );
    await counted.search({ ...REQUEST, query: 'ferry', limit: 10 });
    statements = 0;
    await counted.search({ ...REQUEST, query: 'train night', limit: 10 });
    expect(statements).toBe(2);
  });

  it('are complete after concurrent writers', async () => {
    await Promise.all(
      [0, 1, 2].map((part) =>
        written(
          documents.filter((_, i) => i % 3 === part || i < 10),
          4,
        ),
      ),
    );
    expect((await found('ferry')).sort()).toEqual(documents.map(({ id }) => id).sort());
  });
});

describe('a failed write of the index', () => {
  it('leaves the index unchanged and can be repeated', async () => {
    await written([page('a', 'ferry')]);
    await db.query(`alter table search_doc add constraint no_more check (doc < 1) not valid`);
    const writer = writerOf(10);
    await writer.write([page('b', 'ferry'), page('c', 'ferry')]);
    await expect(writer.commit()).rejects.toThrow('no_more');
    expect(await found('ferry')).toEqual(['a']);
    await db.query('alter table search_doc drop constraint no_more');
    // The documents of the failed commit are still buffered.
    await writer.commit();
    expect(await found('ferry')).toEqual(['a', 'b', 'c']);
  });

  it('loses no document when flush is called again before the first flush has ended', async () => {
    const writer = new PostgresIndexWriter(db.pool, CRAWL);
    await writer.write([page('a', 'ferry')]);
    const flushes = [writer.flush(), writer.flush()];
    await Promise.race(flushes);
    await writer.write([page('b', 'ferry')]);
    await Promise.all(flushes);
    await writer.commit();
    expect(await found('ferry')).toEqual(['a', 'b']);
  });
});

describe('hits of a search', () => {
  it('are all returned once by cursor', async () => {
    await written(
      Array.from({ length: 30 }, (_, i) =>
        page(`p${String(i).padStart(2, '0')}`, `ferry ${i} ${i * i} ${i * 7}`, 'same title'),
      ),
    );
    const all: string[] = [];
    let after;
    for (let step = 0; step < 10; step++) {
      const { hits, next } = await searcher.search({
        ...REQUEST,
        query: 'ferry',
        limit: 4,
        ...(after && { after }),
      });
      all.push(...hits.map(({ id }) => id));
      after = next;
      if (next === null) break;
    }
    expect(all).toHaveLength(30);
    expect(new Set(all).size).toBe(30);
  });
});

it('writes a document whose plugins have set values that PostgreSQL cannot index', async () => {
  const incompressible = Array.from({ length: 400 }, (_, n) => hash('sha256', String(n))).join('');
  const odd = page('odd', 'a ferry');
  for (const name of ['host', 'type', 'lang', 'segment', 'batchId']) odd.fields.set(name, [`${incompressible}\0`]);
  const nul = page('nul', 'a ferry');
  for (const name of ['host', 'type', 'lang', 'segment', 'batchId']) nul.fields.set(name, ['a\0b']);
  const writer = new PostgresIndexWriter(db.pool, CRAWL);
  await writer.write([odd, nul, page('usual', 'a ferry')]);
  await writer.commit();
  const { hits } = await searcher.search({ ...REQUEST, query: 'ferry', limit: 10 });
  expect(hits.map(({ id }) => id).sort()).toEqual(['nul', 'odd', 'usual']);
});
