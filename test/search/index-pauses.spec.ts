import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Pauses of the built-in index writer, in which other tasks of its process run: here after each step, but for one test. */

let db: TestDatabase;
let pauses = 0;
let writer: PostgresIndexWriter;
const limits = { maxDocuments: 1_000, maxBytes: 1e9 };
const pause = () => {
  pauses++;
  return new Promise<void>((resolve) => setImmediate(resolve));
};

beforeAll(async () => {
  db = await testDatabase();
  writer = new PostgresIndexWriter(db.pool, 1, limits, { pause, sliceMs: 0 });
});
afterAll(() => db.drop());

/** A document with the words w`from`, … */
const page = (id: string, from: number, words: number): IndexDocument => ({
  id,
  url: `http://site.test/${id}`,
  boost: 1,
  fields: new Map([['content', [Array.from({ length: words }, (_, n) => `w${from + n}`).join(' ')]]]),
  fieldBoosts: new Map(),
});

/** How many pauses there are while `work` runs. */
async function pausesOf(work: () => Promise<unknown>): Promise<number> {
  pauses = 0;
  await work();
  return pauses;
}

it('are between two documents, and between pieces of a segment that is written', async () => {
  const pages = Array.from({ length: 50 }, (_, n) => page(`p${n}`, n * 500, 500));
  expect(await pausesOf(() => writer.write(pages))).toBeGreaterThanOrEqual(50);
  // 25,000 terms, of which some hundred are packed at once.
  expect(await pausesOf(() => writer.flush())).toBeGreaterThanOrEqual(24);
});

it('are also within a document that takes long', async () => {
  // A step is some hundred words.
  expect(await pausesOf(() => writer.write([page('long', 0, 90_000)]))).toBeGreaterThan(300);
});

it('are by default made every few milliseconds', async () => {
  const byDefault = new PostgresIndexWriter(db.pool, 2, limits, { pause });
  // 450,000 words take more than ten milliseconds on any machine.
  const pages = Array.from({ length: 5 }, (_, n) => page(`d${n}`, 0, 90_000));
  expect(await pausesOf(() => byDefault.write(pages))).toBeGreaterThan(3);
});

it('are also in merges', async () => {
  for (let n = 0; n < 12; n++) {
    await writer.write([page(`m${n}`, n * 1_000, 1_000)]);
    await writer.flush();
  }
  // More than 12,000 terms.
  expect(await pausesOf(() => writer.commit())).toBeGreaterThanOrEqual(40);
});
