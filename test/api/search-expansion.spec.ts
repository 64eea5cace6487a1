import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { compress } from '../../src/webpage/compression.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** Pseudo-relevance feedback: distinctive words of the first hits are added to the query, depending on `expand`. */

const QUERY = 'storm harbour boat night wind';
/** Pages about storms at sea mention barometers; one page has no word of the query. */
const onTopic = Array.from({ length: 5 }, (_, i) => `${QUERY} barometer pressure falls, told number${i}`);
const alone = 'An old barometer hangs in the hall; its pressure needle stands still.';
const others = Array.from({ length: 94 }, (_, i) => `Recipe ${i}: flour, butter, sugar and ${i} eggs.`);
const german = 'Die ferry ist ein Boot.';
const texts = [...onTopic, alone, ...others, german];

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  const { pool } = api.database;
  const crawl = await crawlNumber(pool, 'k1');
  const documents = texts.map((text, i): IndexDocument => ({
    id: `test.site:http/${i}`,
    url: `http://site.test/${i}`,
    boost: 1,
    fields: new Map([
      ['title', [`Page ${i}`]],
      ['content', [text]],
      ['lang', [texts[i] === german ? 'de' : 'en']],
    ]),
    fieldBoosts: new Map(),
  }));
  const writer = new PostgresIndexWriter(pool, crawl);
  await writer.write(documents);
  await writer.commit();
  // The words come from the texts of the pages.
  await pool.query(
    `insert into page_content (crawl, host, key, text) select $1, 'test.site', key, text from unnest($2::text[], $3::bytea[]) as t (key, text)`,
    [crawl, documents.map(({ id }) => id), texts.map((text) => compress(text))],
  );
});
afterAll(() => api?.close());

interface Explained {
  description: string;
  details: Explained[];
}
interface Answer {
  total: number;
  expansion: { reason: string; added: string[] };
  hits: { url: string; explanation: Explained; snippets: { text: string; marks: [number, number][] }[] }[];
}
async function search(q: string, more: Record<string, string> = {}): Promise<Answer> {
  const { status, body } = await request(api.url)
    .get('/v1/search')
    .query({ q, limit: 100, explain: 'true', ...more });
  expect(status).toBe(200);
  return body as Answer;
}
const names = ({ hits }: Answer) => hits.map(({ url }) => Number(url.split('/').at(-1)));
const descriptions = ({ description, details }: Explained): string[] => [description, ...details.flatMap(descriptions)];

describe('expand=auto', () => {
  it('adds words to a query of five words that is no title, and finds a page without any of them', async () => {
    const answer = await search(QUERY);
    expect(answer.expansion.reason).toBe('5 different words or more, and no hit whose title they are');
    expect(answer.expansion.added).toContain('baromet');
    expect(names(answer)).toEqual([...names(await search(QUERY, { expand: 'off' })), 5]);
  });

  it('highlights the words of the query, and added ones only where a page has none of these', async () => {
    const { hits } = await search(QUERY);
    const marked = hits.map(({ snippets }) =>
      snippets.flatMap(({ text, marks }) => marks.map(([start, end]) => text.slice(start, end))),
    );
    expect(marked.slice(0, 5)).toEqual(onTopic.map(() => QUERY.split(' ')));
    expect(marked[5]).toContain('barometer');
  });

  it('names each added word in the explanation of a score', async () => {
    const { hits } = await search(QUERY);
    for (const { explanation } of hits)
      expect(descriptions(explanation)).toContain('baromet (added by feedback): product of');
    const own = descriptions(hits[0]!.explanation).filter((text) => text === 'storm: product of');
    expect(own).toHaveLength(1);
  });

  it('does not expand a query of fewer words or one with a phrase or field', async () => {
    for (const q of ['storm harbour', `"storm harbour" boat night wind`, `${QUERY} lang:en`])
      expect((await search(q)).expansion.added).toEqual([]);
    expect((await search('storm harbour')).expansion.reason).toBe('the query has fewer than 5 different words');
  });
});

it('finds a page in another language whose form of a word has a stem of its own there', async () => {
  // In English ferry and ferries have one stem, in German two.
  const q = 'ferry ferries storm harbour boat night';
  const [off, on] = [await search(q, { expand: 'off' }), await search(q)];
  expect(on.expansion.added).not.toEqual([]);
  expect(names(off)).toContain(100);
  expect(names(on)).toContain(100);
});

describe('expand=on', () => {
  it('adds words to a query of one word', async () => {
    const answer = await search('storm', { expand: 'on' });
    expect(answer.expansion.reason).toBe('expansion is on');
    expect(names(answer)).toContain(5);
  });

  it("adds words with Lucene's similarities too", async () => {
    const answer = await search('storm', { expand: 'on', similarity: 'classic' });
    expect(names(answer)).toContain(5);
    expect((await search(QUERY, { similarity: 'classic' })).expansion.added).toEqual([]);
  });

  it('does not expand a phrase', async () => {
    const { expansion } = await search('"storm harbour"', { expand: 'on' });
    expect(expansion).toEqual({ reason: 'the query is not of words alone', added: [] });
  });
});

describe('expand=off', () => {
  it('finds only pages with the words of the query', async () => {
    const answer = await search(QUERY, { expand: 'off' });
    expect(answer).toMatchObject({ total: 5, expansion: { reason: 'expansion is off', added: [] } });
    expect(answer.hits.flatMap(({ explanation }) => descriptions(explanation)).join()).not.toContain('feedback');
  });
});
