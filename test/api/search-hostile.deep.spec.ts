import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { compress } from '../../src/webpage/compression.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/**
 * Hostile queries of a read key: each is answered, and so are other requests. How long an answer takes depends on the machine,
 * and so does how much CPU time of the API's thread precedes it: it is compared with that of the costliest query, which
 * /health/live would wait for if the API did not yield to other requests every few milliseconds. The clients run in a thread of
 * their own, so that reading the answers does not count.
 */
const CLIENTS = 16;
const HEALTH_ANSWERS = 200;
/** Maximum of the costliest query's CPU time that precedes an answer of /health/live. */
const MAX_PART = 0.45;

/** Hundreds of words share each of these prefixes, so that prefix queries match all documents. */
const beginnings = ['alpha', 'bravo', 'carol', 'delta', 'eager', 'fancy'];
const documentOf = (at: number): IndexDocument => ({
  id: `test.site:http/${at}`,
  url: `http://site.test/${at}`,
  boost: 1,
  fields: new Map([
    ['title', [`Page ${at}`]],
    ['content', [textOf(at)]],
    ['lang', ['en']],
  ]),
  fieldBoosts: new Map(),
});
const textOf = (at: number): string =>
  beginnings
    .flatMap((word, i) => [word, `${word}${(at * (i + 3)) % 997}x`, `${word}${(at * 7 + i) % 499}y`])
    .concat(`unique${at}`)
    .join(' ');

const hostile: Record<string, Record<string, string>> = {
  'of the maximum length of a URL': { q: 'alpha bravo carol '.repeat(3_640).slice(0, 15_000) },
  'of thousands of terms': {
    q: Array.from({ length: 10_000 }, (_, n) => n.toString(36))
      .join(' ')
      .slice(0, 15_000),
  },
  'of open brackets': { q: '('.repeat(4_900) },
  'of nested groups': { q: '(alpha OR ('.repeat(900) },
  'of lone surrogates': { q: `${'\ud800'.repeat(500)} alpha \udc00*` },
  'of six prefixes that match everything': {
    q: beginnings.map((word) => `${word.slice(0, 2)}*`).join(' '),
    facets: 'host,lang,type',
  },
  'with 100 explanations': { q: beginnings.join(' '), explain: 'true', limit: '100', snippets: '5' },
  'with 100 explanations by TF-IDF': { q: beginnings.join(' '), explain: 'true', limit: '100', similarity: 'classic' },
  'with expansion': { q: beginnings.join(' '), expand: 'on', limit: '100' },
  'of phrases in all documents': { q: beginnings.map((word) => `"${word} ${word}"~99`).join(' ') },
  'of exclusions': { q: `alpha ${beginnings.map((word) => `-(${word.slice(0, 3)}* AND NOT ${word})`).join(' ')}` },
};

const secret = 'secret-of-a-reader';
let api: ApiUnderTest;
beforeAll(async () => {
  const key = { name: 'ann', scope: 'read' as const, sha256: createHash('sha256').update(secret).digest() };
  api = await apiUnderTest({ apiKeys: [key] });
  const { pool } = api.database;
  const crawl = await crawlNumber(pool, 'k1');
  const writer = new PostgresIndexWriter(pool, crawl);
  for (let from = 0; from < 30_000; from += 1_000)
    await writer.write(Array.from({ length: 1_000 }, (_, i) => documentOf(from + i)));
  await writer.commit();
  const texts = Array.from({ length: 200 }, (_, at) => compress(textOf(at)));
  await pool.query(
    `insert into page_content (crawl, host, key, text) select $1, 'test.site', 'test.site:http/' || n - 1, text
       from unnest($2::bytea[]) with ordinality as t (text, n)`,
    [crawl, texts],
  );
});
afterAll(() => api?.close());

async function search(
  query: Record<string, string>,
): Promise<{ status: number; body: { notes?: string[]; exact?: boolean } }> {
  const answer = await fetch(`${api.url}/v1/search?${new URLSearchParams(query)}`, {
    // While this process is busy, the server may close a connection that was kept just as it is used again.
    headers: { Authorization: `Bearer ${secret}`, Connection: 'close' },
  });
  return { status: answer.status, body: (await answer.json()) as { notes?: string[] } };
}

/** CPU milliseconds of the API's thread until a request is answered. */
async function cost(request: () => Promise<{ status: number }>): Promise<number> {
  const before = process.threadCpuUsage();
  const { status } = await request();
  const { user, system } = process.threadCpuUsage(before);
  expect(status).toBe(200);
  return (user + system) / 1_000;
}

async function health(): Promise<{ status: number }> {
  const answer = await fetch(`${api.url}/health/live`, { headers: { Connection: 'close' } });
  await answer.arrayBuffer();
  return answer;
}

describe('a hostile query', () => {
  it.each(Object.entries(hostile))('%s returns 200', async (_, query) => {
    const { status, body } = await search(query);
    expect(status).toBe(200);
    // A note says what was left out.
    if (query['q']!.length > 8_192) expect(body.notes).toContain('Only the first 8192 characters were read.');
  });

  it('of 64 KiB returns 431', async () => {
    expect((await fetch(`${api.url}/v1/search?q=${'a'.repeat(65_536)}`)).status).toBe(431);
  });
});

/** Each client repeats the queries, one request at a time, from its own first one, and reports the status of each answer. */
const CLIENTS_CODE = `
const { parentPort, workerData } = require('node:worker_threads');
const { url, secret, queries, count } = workerData;
const headers = { Authorization: 'Bearer ' + secret, Connection: 'close' };
async function client(first) {
  for (let at = first; ; at++) {
    const answer = await fetch(url + '/v1/search?' + new URLSearchParams(queries[at % queries.length]), { headers });
    await answer.arrayBuffer();
    parentPort.postMessage(answer.status);
  }
}
for (let i = 0; i < count; i++) client(i);`;

it('/health/live does not wait for hostile queries in parallel from one key', async () => {
  const queries = Object.values(hostile);
  const alone: number[] = [];
  for (const query of queries) alone.push(await cost(() => search(query)));
  const clients = new Worker(CLIENTS_CODE, {
    eval: true,
    workerData: { url: api.url, secret, queries, count: CLIENTS },
  });
  const answers = new Map<number, number>();
  clients.on('message', (status: number) => answers.set(status, (answers.get(status) ?? 0) + 1));
  const costs: number[] = [];
  try {
    // All queries are running, and many have been answered.
    while (costs.length < HEALTH_ANSWERS || (answers.get(200) ?? 0) < 2 * queries.length)
      costs.push(await cost(health));
  } finally {
    await clients.terminate();
  }
  expect([...answers.keys()].sort()).toEqual([200, 429]);
  const p99 = costs.toSorted((a, b) => a - b)[Math.floor(costs.length * 0.99)]!;
  expect(p99).toBeLessThan(MAX_PART * Math.max(...alone));
});
