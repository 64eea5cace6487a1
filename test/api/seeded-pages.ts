/** Pages inserted directly into the table, with the counts of their hosts, as the steps would write them. */
import { zstdCompressSync } from 'node:zlib';
import { hostKeyOf, reverseUrl } from '../../src/core/url/row-key.js';
import type { TestDatabase } from '../support/database.js';

export interface SeededPage {
  url: string;
  status?: number;
  /** Columns of `webpage` by name. */
  row?: Record<string, unknown>;
  /** Columns of `page_content` by name; text and content as they are, uncompressed. */
  content?: Record<string, unknown>;
}

const countOf: Record<number, string> = {
  1: 'n_unfetched',
  2: 'n_fetched',
  3: 'n_gone',
  4: 'n_redir_temp',
  5: 'n_redir_perm',
  6: 'n_notmodified',
  7: 'n_duplicate',
  8: 'n_orphan',
  9: 'n_parse_failed',
  34: 'n_retry',
};

export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The number of a new crawl. */
export async function newCrawl(db: TestDatabase, name: string): Promise<number> {
  return (await db.query<{ id: number }>('insert into crawl (name) values ($1) returning id', [name]))[0]!.id;
}

export async function addPages(db: TestDatabase, crawl: number, pages: readonly SeededPage[]): Promise<void> {
  for (const { url, status = 1, row = {}, content } of pages) {
    const key = reverseUrl(url);
    const at = { crawl, host: hostKeyOf(key), key };
    const usual = {
      fetch_time: '2026-01-01T00:00:00Z',
      score: 1,
      cash: 0,
      fetch_interval: 2_592_000,
      source_kind: 'seed',
    };
    await insert(db, 'webpage', { ...at, status, ...usual, ...row });
    await db.query(
      `insert into host (crawl, host, domain, ${countOf[status]}) values ($1, $2, $2, 1)
       on conflict (crawl, host) do update set ${countOf[status]} = host.${countOf[status]} + 1`,
      [crawl, at.host],
    );
    if (content) await insert(db, 'page_content', { ...at, ...compressed(content) });
  }
}

/** Many pages of a host at once: `http://<host>/0000001` and so on, with titles of `width` letters. */
export async function addManyPages(
  db: TestDatabase,
  crawl: number,
  hostKey: string,
  { n, width = 20, status = 1 }: { n: number; width?: number; status?: number },
): Promise<void> {
  await db.query(
    `insert into webpage (crawl, host, key, status, fetch_time, score, cash, fetch_interval, source_kind, title)
     select $1, $2, $2 || ':http/' || lpad(i::text, 7, '0'), $5, now(), 1, 0, 2592000, 'link', repeat('x', $4)
       from generate_series(1, $3) i`,
    [crawl, hostKey, n, width, status],
  );
  const counted = `insert into host (crawl, host, domain, ${countOf[status]}) values ($1, $2, $2, $3)`;
  await db.query(counted, [crawl, hostKey, n]);
}

async function insert(db: TestDatabase, table: string, columns: Record<string, unknown>): Promise<void> {
  const names = Object.keys(columns);
  await db.query(
    `insert into ${table} (${names.join()}) values (${names.map((_, at) => `$${at + 1}`).join()})`,
    Object.values(columns),
  );
}

function compressed(columns: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      (name === 'text' || name === 'content') && value !== null ? zstdCompressSync(value as string | Buffer) : value,
    ]),
  );
}
