import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Database } from '../../src/api/database.js';
import type { DbFilter } from '../../src/api/db/db.dto.js';
import { PageReader } from '../../src/api/db/page-reader.js';
import { ConfStore } from '../../src/conf/conf.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { addPages, newCrawl } from './seeded-pages.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

it('makes an answer with contents page by page, however large they are', async () => {
  const crawl = await newCrawl(db, 'k');
  const pages = Array.from({ length: 5 }, (_, n) => ({
    url: `http://a.test/${n}`,
    status: 2,
    content: { content: randomBytes(1_000_000) },
  }));
  await addPages(db, crawl, pages);
  const dataSource = await db.dataSource();
  const reader = new PageReader(new Database(dataSource), new ConfStore(dataSource));
  const pieces: string[] = [];
  const filter = { fields: ['content'], limit: 100 } as unknown as DbFilter;
  for await (const piece of reader.query(crawl, filter)) pieces.push(piece);
  expect(JSON.parse(pieces.join('')).values).toHaveLength(5);
  // Some 3.5 characters a byte.
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(5_000_000);
});
