import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pool } from 'pg';
import type { Database } from '../../src/api/database.js';
import { DbFilter } from '../../src/api/db/db.dto.js';
import { PageReader } from '../../src/api/db/page-reader.js';
import type { ConfStore } from '../../src/conf/conf.store.js';
import { defaults } from '../../src/conf/properties.js';
import { unreverseUrl } from '../../src/core/url/row-key.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, accessPaths } from './explained.js';
import { CRAWL, PAGES, rolledBack, seededDatabase, somePages } from './seeded.js';

/** What `/db` sends: pages by URL, and pages in the order of their keys. */

let db: TestDatabase;

beforeAll(async () => {
  db = await seededDatabase();
});
afterAll(() => db.drop());

/** Reads as `/db` does, and answers the text of the answer with the ways to the large tables. */
const seen = (read: (reader: PageReader) => Promise<unknown>): Promise<{ answer: unknown; paths: string[] }> =>
  rolledBack(db, async (client) => {
    const tx = new Explained(client);
    const database = { pool: tx as unknown as Pool } as Database;
    const confs = { find: async () => ({ conf: defaults }) } as unknown as ConfStore;
    const answer = await read(new PageReader(database, confs));
    return { answer, paths: accessPaths(tx.plans) };
  });

async function textOf(parts: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

const ask = (filter: Partial<DbFilter>) => (reader: PageReader) =>
  textOf(reader.query(CRAWL, Object.assign(new DbFilter(), { limit: 300 }, filter)));

const byKey = 'webpage_pkey (crawl, host, key)';
const contentByKey = 'page_content_pkey (crawl, host, key)';

describe('one page', () => {
  it('is found by its URL through the primary key', async () => {
    const [page] = await somePages(db, 'rank is not null', 1);
    const { answer, paths } = await seen((reader) => reader.page(CRAWL, unreverseUrl(page!.key), 'default'));
    expect(answer).toMatchObject({ key: page!.key });
    expect(paths).toEqual([byKey]);
  });
});

describe('pages in key order', () => {
  it.each<[string, Partial<DbFilter>, string[]]>([
    ['rows', { fields: ['url', 'status'] }, [byKey]],
    [
      'rows of a range',
      { fields: ['url'], startKey: 'https://site0500.com/', endKey: 'https://site0510.com/' },
      [byKey],
    ],
    ['rows behind a cursor', { fields: ['url'], cursor: 'com.site0700:https/' }, [byKey]],
    ['rows of a batch', { fields: ['url'], batchId: '-all', startKey: 'https://site0990.com/' }, [byKey]],
    ['outlinks and headers', { fields: ['url', 'outlinks', 'headers'] }, [contentByKey, byKey]],
    ['content and text', { fields: ['url', 'content', 'text'], limit: 40 }, [contentByKey, byKey]],
    ['inlinks', { fields: ['url', 'inlinks'] }, ['inlink_pkey (crawl, host, key)', byKey]],
  ])('%s are read host by host through the primary key', async (_, filter, paths) => {
    const found = await seen(ask(filter));
    expect(found.paths).toEqual(paths);
    expect(String(found.answer)).toMatch(/^\{"values":\[.*\],"cursor":/);
  });

  it('a dump reads the whole crawl in pieces, each through the primary key', async () => {
    const { answer, paths } = await seen((reader) =>
      textOf(reader.dump({ crawl: CRAWL, status: 1 }, 'csv', () => true)),
    );
    expect(paths).toEqual([byKey]);
    const lines = String(answer).trimEnd().split('\n').length;
    expect(lines).toBeGreaterThan(PAGES / 3);
  });
});
