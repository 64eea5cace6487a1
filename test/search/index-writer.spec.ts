import { afterAll, beforeAll, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/index-writer.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const page = (id: string, content: string): IndexDocument => ({
  id,
  url: `http://site.test/${id}`,
  boost: 1,
  fields: new Map([
    ['title', [`Title of ${id}`]],
    ['content', [content]],
  ]),
  fieldBoosts: new Map(),
});

it('writes', async () => {
  const writer = new PostgresIndexWriter(db.pool, 1, { maxDocuments: 3, maxBytes: 1e9 });
  for (let i = 0; i < 40; i++) await writer.write([page(`p${i}`, `words of page ${i}`)]);
  await writer.write([page(`p0`, `words of page again`)]);
  await writer.commit();
  console.log(await db.query('select seg, documents, live_documents, generation, sums from search_segment'));
  console.log(await db.query('select count(*) from search_doc'));
  console.log(await writer.delete(['p0', 'p1', 'none']));
  console.log(await db.query('select seg, documents, live_documents, generation, sums from search_segment'));
});
