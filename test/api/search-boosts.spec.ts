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

/** The fields of the pages found with these boosts, best first; a page is named after its field. */
async function found(boosts: Record<string, string>): Promise<string[]> {
  await api.database.query(
    `insert into crawl_conf (id, params) values ('c1', $1) on conflict (id) do update set params = excluded.params`,
    [JSON.stringify(boosts)],
  );
  const { body } = await request(api.url).get('/v1/search').query({ q: WORD, crawlId: 'k1', confId: 'c1' });
  return (body.hits as { id: string }[]).map(({ id }) => id.slice(id.lastIndexOf('/') + 1));
}
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
