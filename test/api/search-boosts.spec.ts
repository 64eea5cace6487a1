import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { type SearchField, searchFields } from '../../src/core/search/search-fields.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** search.boost.*: six pages, each with the word in one field only; the boost of a field decides where its page stands. */

const WORD = 'lantern';
let api: ApiUnderTest;

/** A page that has the word in this field, and other words in all fields. */
function document(field: SearchField, n: number): IndexDocument {
  const word = (at: SearchField) => (at === field ? WORD : `word${n}`);
  const host = field === 'host' ? `${WORD}.test` : `site${n}.test`;
  return {
    id: `test.site${n}:http/${field}`,
    url: `http://site${n}.test/${word('url')}`,
    boost: 1,
    fields: new Map<string, string[]>([
      ['title', [`${word('title')} title`]],
      ['anchor', [`${word('anchor')} link`]],
      ['host', [host]],
      ['headings', [`${word('headings')} heading`]],
      ['content', [`${word('content')} text${n} of${n} page${n}`]],
      ['lang', ['en']],
    ]),
    fieldBoosts: new Map(),
  };
}

beforeAll(async () => {
  api = await apiUnderTest();
  const writer = new PostgresIndexWriter(api.database.pool, await crawlNumber(api.database.pool, 'k1'));
  await writer.write(searchFields.map(document));
  await writer.commit();
});
afterAll(() => api?.close());

/** The answer to a query with these boosts. */
async function answer(boosts: Record<string, string>, query: object) {
  await api.database.query(
    `insert into crawl_conf (id, params) values ('c1', $1) on conflict (id) do update set params = excluded.params`,
    [JSON.stringify(boosts)],
  );
  return (
    await request(api.url)
      .get('/v1/search')
      .query({ q: WORD, crawlId: 'k1', confId: 'c1', ...query })
  ).body as { hits: { id: string; score: number; explanation: Explained }[]; notes: string[] };
}
interface Explained {
  value: number;
  description: string;
  details: Explained[];
}

/** The fields of the pages found with these boosts, best first; a page is named after its field. */
const found = async (boosts: Record<string, string>): Promise<string[]> =>
  (await answer(boosts, {})).hits.map(({ id }) => id.slice(id.lastIndexOf('/') + 1));
const boostsOf = (of: (field: SearchField) => number) =>
  Object.fromEntries(searchFields.map((field) => [`search.boost.${field}`, String(of(field))]));

describe.each(searchFields)('search.boost.%s', (field) => {
  it('above those of the other fields puts the page with the word in this field first', async () => {
    const hits = await found({ ...boostsOf(() => 1), [`search.boost.${field}`]: '50' });
    expect([hits[0], hits.toSorted()]).toEqual([field, searchFields.toSorted()]);
  });

  it('below those of the other fields puts it last', async () => {
    expect((await found({ ...boostsOf(() => 50), [`search.boost.${field}`]: '0.1' })).at(-1)).toBe(field);
  });
});

it('as shipped a word in the title counts most, then one in a link, and one in the text least', async () => {
  const hits = await found({});
  expect([hits.slice(0, 2), hits.at(-1)]).toEqual([['title', 'anchor'], 'content']);
});

describe('search.boost.title of 0', () => {
  const boosts = { ...boostsOf(() => 0), 'search.boost.content': '1', 'search.boost.anchor': '1' };
  const both: IndexDocument = {
    ...document('content', 9),
    id: 'test.site9:http/both',
    fields: new Map([...document('content', 9).fields, ['title', [WORD]]]),
  };
  beforeAll(async () => {
    const writer = new PostgresIndexWriter(api.database.pool, await crawlNumber(api.database.pool, 'k1'));
    await writer.write([both]);
    await writer.commit();
  });

  it('removes the title from the score: a page with the word in its title too has that of one without', async () => {
    const { hits } = await answer(boosts, { explain: true });
    const [one, other] = ['test.site9:http/both', 'test.site5:http/content'].map((id) =>
      hits.find((hit) => hit.id === id)!,
    );
    expect(one!.score).toBe(other!.score);
    expect(one!.explanation.value).toBeCloseTo(one!.score, 5);
    expect(JSON.stringify(one!.explanation)).not.toContain('title coverage');
  });

  it('is noted for a query that names the field, except where a named field has the boost of its word', async () => {
    const note = 'Words in the field title find nothing: search.boost.title is 0.';
    expect(await answer(boosts, { q: `title:${WORD}` })).toMatchObject({ hits: [], notes: [note] });
    expect((await answer(boosts, { q: `title:${WORD} content:${WORD}` })).notes).toEqual([note]);
    expect((await answer(boosts, { q: WORD })).notes).toEqual([]);
    const classic = await answer(boosts, { q: `title:${WORD}`, similarity: 'classic' });
    expect([classic.hits.length, classic.notes]).toEqual([2, []]);
  });

  it('is noted if no field has a weight', async () => {
    const note = 'Words find nothing: all weights of fields (search.boost.*) are 0.';
    expect(
      await answer(
        boostsOf(() => 0),
        {},
      ),
    ).toMatchObject({ hits: [], notes: [note] });
  });
});
