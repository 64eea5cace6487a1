import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGE_STATUS_CODES, statusName } from '../../src/core/page/page-status.js';
import { PARSE_MINOR } from '../../src/core/page/parse-status.js';
import { PROTOCOL_STATUS } from '../../src/core/page/protocol-status.js';
import { ensureHistoryPartitions } from '../../src/webpage/fetch-history.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** docs/data-model.md and docs/semantics/codes.md, compared with the schema and the codes they describe. */

const docs = join(import.meta.dirname, '..', '..', 'docs');
const read = (name: string): string => readFileSync(join(docs, name), 'utf8').replace(/ +/g, ' ');
const model = readFileSync(join(docs, 'data-model.md'), 'utf8');
const queries = [...model.matchAll(/^([^\n]+):\n\n```sql\n(.*?);\n```/gms)].map(
  (match) => [match[1]!, match[2]!] as const,
);

let db: TestDatabase;

const FILL = [
  `insert into crawl (id, name) overriding system value values (1, 'k1')`,
  // Two equal pages not due, one in a batch, one selectable, one gone.
  `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, source_kind, signature, rank, generate_mark, fetch_mark)
   select 1, 'org.apache.nutch', 'org.apache.nutch:https/' || path, status, now() + interval '1 day', 2592000, 1, 1, 'seed', signature, rank, mark, mark
     from (values ('', 2, 'aa', null, null), ('copy', 2, 'aa', null, null), ('batch', 2, 'bb', null, 'b1'), ('next', 1, null, 0, null),
                  ('gone', 3, null, null, null)) as v (path, status, signature, rank, mark)`,
  `insert into host (crawl, host, domain, n_unfetched, n_fetched, n_gone) values (1, 'org.apache.nutch', 'org.apache', 1, 3, 1)`,
  `insert into inlink (crawl, host, key, source, anchor, score)
   values (1, 'org.apache.nutch', 'org.apache.nutch:https/', 'org.example:https/', 'Nutch', 1)`,
  `insert into fetch_history (crawl, host, key, time, status, protocol_code, http_status, ms, bytes)
   values (1, 'org.apache.nutch', 'org.apache.nutch:https/gone', now(), 3, 14, 404, 12, 345)`,
];

beforeAll(async () => {
  db = await testDatabase();
  await ensureHistoryPartitions(db.pool);
  for (const statement of FILL) await db.query(statement);
});
afterAll(() => db.drop());

describe('docs/data-model.md', () => {
  it('has ten queries', () => expect(queries).toHaveLength(10));

  it.each(queries)('%s: the query returns rows', async (_, query) => {
    expect(await db.query(query)).not.toEqual([]);
  });

  it('describes every column of every table, and no others', async () => {
    const inSchema = await db.query<{ column: string }>(`
      select c.relname || '.' || a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
         and not a.attisdropped and c.relname <> 'migrations'`);
    const sections = model.split(/^### `(\w+)`$/m).slice(1);
    const explained: string[] = [];
    for (let i = 0; i < sections.length; i += 2) {
      const text = sections[i + 1]!.split(/^## /m)[0]!;
      for (const match of text.matchAll(/^\| `(\w+)`/gm)) explained.push(`${sections[i]}.${match[1]}`);
    }
    expect(explained.sort()).toEqual(inSchema.map(({ column }) => column).sort());
  });

  it('describes indexes that exist, and every index of page tables', async () => {
    const indexes = await db.query<{ name: string }>(
      `select c.relname as name from pg_class c where relkind in ('i', 'I') and relnamespace = 'public'::regnamespace and not relispartition`,
    );
    const names = indexes.map(({ name }) => name);
    const table = model.slice(model.indexOf('\n## Indexes'), model.indexOf('\n## Ten queries'));
    const explained = [...table.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1]!);
    expect(explained.filter((name) => !names.includes(name))).toEqual([]);
    const ofPages = names.filter((name) => /^(webpage|page_content|inlink|host|fetch_history|robots)_/.test(name));
    expect(ofPages.filter((name) => !explained.includes(name))).toEqual([]);
  });
});

describe('docs/semantics/codes.md', () => {
  const text = read('semantics/codes.md');

  it.each(PAGE_STATUS_CODES.map((code) => [code, statusName(code)] as const))('lists status %i, %s', (code, name) => {
    expect(text).toContain(`| ${code} | ${name} |`);
  });

  it.each(Object.entries(PROTOCOL_STATUS))('lists protocol status %s', (name, code) => {
    expect(text).toContain(`| ${code} | ${name} |`);
  });

  it.each(Object.entries(PARSE_MINOR))('lists parse status %s', (name, code) => {
    expect(text).toContain(`| ${code} | ${name.replace('_', ' ')} |`);
  });
});

it.each(['data-model.md', 'semantics.md', 'semantics/parse.md'])('docs/%s links to files that exist', (name) => {
  const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map((match) => match[1]!);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((link) => !existsSync(join(docs, dirname(name), link)))).toEqual([]);
});
