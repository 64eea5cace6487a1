import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/api/database.js';
import type { DbFilter } from '../../src/api/db/db.dto.js';
import { CrawlDbReader } from '../../src/api/db/crawldb-reader.js';
import { ConfStore } from '../../src/conf/conf.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { addPages, newCrawl } from './seeded-pages.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

it('CrawlDbReader emits an answer with large contents page by page', async () => {
  const crawl = await newCrawl(db, 'k');
  const pages = Array.from({ length: 5 }, (_, n) => ({
    url: `http://a.test/${n}`,
    status: 2,
    content: { content: randomBytes(1_000_000) },
  }));
  await addPages(db, crawl, pages);
  const dataSource = await db.dataSource();
  const reader = new CrawlDbReader(new Database(dataSource), new ConfStore(dataSource));
  const pieces: string[] = [];
  const filter = { fields: ['content'], limit: 100 } as unknown as DbFilter;
  for await (const piece of reader.query(crawl, filter)) pieces.push(piece);
  expect(JSON.parse(pieces.join('')).values).toHaveLength(5);
  // About 3.5 characters per byte.
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(5_000_000);
});

describe('inlinks of an answer', () => {
  const [pages, links] = [60, 50];
  let crawl: number;
  beforeAll(async () => {
    crawl = await newCrawl(db, 'linked');
    await addPages(
      db,
      crawl,
      Array.from({ length: pages }, (_, n) => ({ url: `http://a.test/${n}` })),
    );
    await db.query(
      `insert into inlink (crawl, host, key, source, anchor, score)
       select crawl, host, key, 'test.other:http/' || n, 'anchor ' || n, n
         from webpage, generate_series(1, $2) n where crawl = $1`,
      [crawl, links],
    );
  });

  /** An answer with inlinks, and how many of them each statement read for it. */
  async function answerOf(limit: number): Promise<{ values: { inlinks: object }[]; cursor: string; read: number[] }> {
    const dataSource = await db.dataSource();
    const read: number[] = [];
    const database = new Database(dataSource);
    const counting = new Proxy(database.pool, {
      get(pool: Pool, name) {
        const value = Reflect.get(pool, name) as unknown;
        if (name !== 'query') return typeof value === 'function' ? value.bind(pool) : value;
        return async (statement: { text: string }) => {
          const answer = await pool.query(statement);
          if (statement.text.includes('from inlink')) read.push(answer.rows.length);
          return answer;
        };
      },
    });
    const reader = new CrawlDbReader({ ...database, pool: counting }, new ConfStore(dataSource));
    const filter = { fields: ['url', 'inlinks'], limit } as unknown as DbFilter;
    let text = '';
    for await (const piece of reader.query(crawl, filter)) text += piece;
    return { ...JSON.parse(text), read };
  }

  it('are read for 20 pages per statement', async () => {
    const { values, read } = await answerOf(100);
    expect(values.map(({ inlinks }) => Object.keys(inlinks).length)).toEqual(Array(pages).fill(links));
    expect(read).toEqual([20 * links, 20 * links, 20 * links]);
  });

  it('are read only for the pages that the answer contains', async () => {
    const { values, cursor, read } = await answerOf(3);
    expect([values.length, cursor]).toEqual([3, 'test.a:http/10']);
    expect(read).toEqual([3 * links]);
  });
});
